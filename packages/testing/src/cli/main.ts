import { runCommand } from "./command.ts";

const { code, text, isReport } = await runCommand(process.argv.slice(2));
const stream = code === 0 || isReport === true ? process.stdout : process.stderr;
// It ends when the text is written, whatever the module of the app has started.
stream.write(`${text}\n`, () => process.exit(code));
