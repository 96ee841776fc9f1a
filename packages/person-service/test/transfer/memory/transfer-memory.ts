import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import type { FormatName } from "../../../src/transfer/formats.ts";
import { programArguments } from "../../tools/programs/program-arguments.ts";
import { smallHeap } from "../../tools/programs/service-process.ts";

/** Around the people of a file, and each of them; `number` is from 1. */
interface FileForm {
  readonly start: string;
  readonly person: (number: number, description: string) => string;
  readonly end: string;
}

const card = (version: string, number: number, description: string): string =>
  `BEGIN:VCARD\r\nVERSION:${version}\r\nFN:Person ${number}\r\nNOTE:${description}\r\nEND:VCARD\r\n`;

const forms: Readonly<Record<FormatName, FileForm>> = {
  csv: {
    start: "name,description\r\n",
    person: (number, description) => `Person ${number},"${description}"\r\n`,
    end: "",
  },
  ndjson: {
    start: "",
    person: (number, description) => `{"name":"Person ${number}","description":"${description}"}\n`,
    end: "",
  },
  json: {
    start: "[",
    person: (number, description) =>
      `${number === 1 ? "" : ","}{"name":"Person ${number}","description":"${description}"}`,
    end: "]",
  },
  xml: {
    start: "<people>",
    person: (number, description) =>
      `<person><name>Person ${number}</name><description>${description}</description></person>`,
    end: "</people>",
  },
  vcard: { start: "", person: (number, description) => card("4.0", number, description), end: "" },
  vcard3: { start: "", person: (number, description) => card("3.0", number, description), end: "" },
};

/** Writes a file of so many people. Every tenth is refused, whose name is too long. */
export async function writePeople(
  file: string,
  format: FormatName,
  count: number,
  descriptionLength: number,
): Promise<void> {
  const description = "Zoë says - files are read in pieces. ".repeat(200).slice(0, descriptionLength).trimEnd();
  const { start, person, end } = forms[format];
  function* pieces(): Generator<string, void, undefined> {
    let piece = start;
    for (let number = 1; number <= count; number++) {
      piece += person(number, number % 10 === 0 ? description.padEnd(4001, "x") : description);
      if (piece.length < 65_536) continue;
      yield piece;
      piece = "";
    }
    yield piece + end;
  }
  await pipeline(Readable.from(pieces()), createWriteStream(file));
}

/** How a command ended. */
export interface MeasuredCommand {
  readonly stdout: string;
  /** The most memory that was resident, in bytes. */
  readonly peak: number;
}

/** Runs a command of the program to its end, with a small heap. An exit code of 1 is that of refused people. */
export async function measureCommand(...args: readonly string[]): Promise<MeasuredCommand> {
  const report = 'process.on("exit", () => console.error("peak " + process.resourceUsage().maxRSS))';
  const options = [...smallHeap, "--import", `data:text/javascript,${encodeURIComponent(report)}`];
  // With the compile cache of the tests Node 24 keeps up to 60 MB more.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...options, ...programArguments, ...args], {
    env,
  }).catch((error: { readonly code?: unknown; readonly stdout: string; readonly stderr: string }) => {
    if (error.code !== 1) throw error;
    return error;
  });
  const [, peak] = /^peak (\d+)$/m.exec(stderr) ?? [];
  if (peak === undefined) throw new Error(`It printed ${stderr}`);
  return { stdout, peak: Number(peak) * 1024 };
}
