import { openFolder } from "../../waymark/test/folder.ts";
import { openSqliteDatabase } from "../src/index.ts";
import { describeRecords } from "./store-contract.ts";

const folder = openFolder("sqlite-file");

// The soak has its queries.
describeRecords("SQLite in a file", (options) => openSqliteDatabase(folder.newFile(), options));
