import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { openDatabase } from "@waymark/collection";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { parseCommandLine } from "../../../src/cli/command-line.ts";
import { personCollection } from "../../../src/person/collection.ts";

/** Files for commands. */
interface CommandFiles {
  readonly folder: ReturnType<typeof openFolder>;
  readonly newFile: (extension: string) => string;
  /** Writes a file, in whatever charset, and returns its path. */
  readonly write: (extension: string, content: string | Buffer) => string;
}

/** Files for commands, in a folder with this name. */
export function commandFiles(name: string): CommandFiles {
  const folder = openFolder(name);
  let files = 0;
  const newFile = (extension: string): string => folder.path(`${++files}.${extension}`);
  return {
    folder,
    newFile,
    write(extension, content) {
      const path = newFile(extension);
      writeFileSync(path, content);
      return path;
    },
  };
}

/** Runs a command in this process, and returns what it says on both streams. */
export async function run(...argv: readonly string[]): Promise<string> {
  const line = parseCommandLine(argv);
  assert(line.kind === "run", JSON.stringify(line));
  const said: string[] = [];
  const say = (text: string): unknown => said.push(text);
  const write = (data: string): unknown => say(data.replace(/\n$/, ""));
  await line.run({ write, print: say, printNote: say, readInput: assert.fail });
  process.exitCode = undefined;
  return said.join("\n");
}

/** Returns the people of a database, without what the service sets. */
export async function peopleIn(address: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const database = await openDatabase(address, { collections: [personCollection] });
  const people: Readonly<Record<string, unknown>>[] = [];
  for await (const batch of database.store("person").list()) {
    for (const { json } of batch) {
      const { createdAt: _createdAt, updatedAt: _updatedAt, ...person } = JSON.parse(json);
      people.push(person);
    }
  }
  await database.close();
  return people;
}
