import { fileURLToPath } from "node:url";

/** The environment variable that names the module of the program, where a run of the tests has built it. */
export const builtProgramVariable = "TEST_PROGRAM";

/** The command of the checkout, which runs the source. */
export const sourceProgram: string = fileURLToPath(new URL("../../../bin/person-service.js", import.meta.url));

const built = process.env[builtProgramVariable];

/** Names the environment variable by which a run of tests chooses the runtime of the program. */
export const runtimeVariable = "TEST_RUNTIME";

/** What runs the program: Node.js; `npm run test:bun` chooses Bun. */
export const runtime: string = process.env[runtimeVariable] ?? process.execPath;

/** The arguments by which Node.js runs the program: as it is built, or from source where a test file is run by hand. */
export const programArguments: readonly string[] = [built ?? sourceProgram];
