import { openFolder } from "../../waymark/test/folder.ts";
import { type Database, type DatabaseOptions, openSqliteDatabase } from "../src/index.ts";
import { describeReads, describeTransfer } from "./store-contract.ts";

const folder = openFolder("sqlite-file");
const open = (options: DatabaseOptions): Promise<Database> => openSqliteDatabase(folder.newFile(), options);

// The thread that writes makes its changes in shared-writer.test.ts; the soak has all of it on a file with a writer of its own.
describeReads("SQLite in a file", open);
describeTransfer("SQLite in a file", open);
