import { runProgram } from "./server-program.ts";

// The program, as its command line starts it, with its defaults. It prints the URL at which it listens.

await runProgram("--port", "0", "--database", ...process.argv.slice(2));
