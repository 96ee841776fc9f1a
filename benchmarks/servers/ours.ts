import { databaseArgument, endWithInput } from "./server-program.ts";

// The program, as its command line starts it, with its defaults. It prints the URL at which it listens.

const database = databaseArgument();
process.argv.splice(2, 1, "--port", "0", "--database", database);
endWithInput();
await import(new URL("../../packages/person-service/bin/person-service.js", import.meta.url).href);
