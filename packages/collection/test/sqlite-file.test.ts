import { openFolder } from "../../waymark/test/folder.ts";
import { openSqliteDatabase } from "../src/index.ts";
import { describeStore } from "./store-contract.ts";

const folder = openFolder("sqlite-file");

describeStore("SQLite in a file", (options) => openSqliteDatabase(folder.newFile(), options));
