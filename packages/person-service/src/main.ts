import { buffer } from "node:stream/consumers";
import { wording } from "waymark/internal";
import { parseCommandLine } from "./cli/command-line.ts";
import { maskPasswords } from "./cli/settings/setting.ts";
import { userErrorMessage } from "./cli/terminal/command-error.ts";
import { fileFault } from "./file-fault.ts";

/** Whether the line that the cursor is on has been drawn. */
let isDrawn = false;
const draw = process.stderr.isTTY
  ? (text: string): void => {
      process.stderr.write(`\r${text}\x1b[K`);
      isDrawn = true;
    }
  : undefined;

// A reader of a pipe may end before everything is written. A fault of standard error has no place to be reported.
process.stdout.on("error", (error) => {
  if ("code" in error && error.code === "EPIPE") return;
  printNote(`person-service: Standard output cannot be written: ${fileFault(error)}`);
  process.exitCode = 1;
});
process.stderr.on("error", () => undefined);

const commandLine = parseCommandLine(process.argv.slice(2), process.env);
switch (commandLine.kind) {
  case "print":
    print(commandLine.text);
    break;
  case "usage-error":
    printNote(`person-service: ${commandLine.usageErrors.join("\n")}\nSee "${commandLine.help}".`);
    process.exitCode = 2;
    break;
  case "run":
    process.once("beforeExit", reportUnsettled);
    void attempt(() => commandLine.run({ write, print, printNote, draw, readInput })).finally(() =>
      process.off("beforeExit", reportUnsettled),
    );
}

/** Where nothing is left that an action waits for, Node.js ends as if it were done. */
function reportUnsettled(): void {
  printNote("person-service: The command ended before its work was done.");
  process.exitCode = 1;
}

/** Runs an action, and prints errors that users can fix. */
async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const obstacle = userErrorMessage(error);
    if (obstacle === undefined) throw error;
    printNote(`person-service: ${obstacle}`);
    process.exitCode = 1;
  }
}

/** Reads all of standard input, with a hint at a terminal. */
function readInput(): Promise<Uint8Array> {
  if (process.stdin.isTTY) printNote("Type a line, then Ctrl-D on a line of its own.");
  return buffer(process.stdin);
}

function write(data: string): void {
  endDrawing();
  process.stdout.write(data);
}

function print(line: string): void {
  endDrawing();
  process.stdout.write(`${wording.escapeUnprintable(maskPasswords(line))}\n`);
}

function printNote(line: string): void {
  endDrawing();
  process.stderr.write(`${wording.escapeUnprintable(maskPasswords(line))}\n`);
}

function endDrawing(): void {
  if (isDrawn) process.stderr.write("\n");
  isDrawn = false;
}
