import { openFolder } from "../../waymark/test/folder.ts";
import { openSqliteDatabase } from "../src/index.ts";
import { openOnlyMember } from "./shared-writer-member.ts";
import { describeStore } from "./store-contract.ts";

const folder = openFolder("sqlite-file");

describeStore("SQLite in a file", (options) => openSqliteDatabase(folder.newFile(), options));
describeStore("SQLite in a file, by a shared writer", (options) => openOnlyMember(folder.newFile(), options));
