import cluster from "node:cluster";
import { databaseArgument, runProgram } from "./server-program.ts";

// The program with two workers, as its command line starts it. It prints the URL at which they listen.

const options = (): readonly string[] => ["--port", "0", "--database", databaseArgument(), "--workers", "2"];
await runProgram(...(cluster.isPrimary ? options() : process.argv.slice(2)));
