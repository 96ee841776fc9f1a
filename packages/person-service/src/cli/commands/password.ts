import { ContentError } from "waymark/content";
import { toText } from "../../access/json-file.ts";
import { hashPassword } from "../../access/password-hash.ts";
import { countCharacters } from "../../person/value-schemas.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, command } from "./command.ts";

/** Hashes a password for an access file. */
export const passwordHashCommand: Command = command({
  input: "< FILE",
  about: "Reads a password from standard input and prints its hash for the access file.",
  options: {},
  async run(_given, { readInput, write }) {
    write(`${await hashPassword(toPassword(await readInput()))}\n`);
  },
});

/** Returns the one line of the input. Basic credentials cannot carry control characters (RFC 7617 §2). */
function toPassword(input: Uint8Array): string {
  const password = decode(input).replace(/\r?\n$/, "");
  if (/\p{Cc}/u.test(password)) throw new CommandError("A password must be one line without control characters.");
  const length = countCharacters(password);
  if (length >= 8 && length <= 1000) return password;
  throw new CommandError(`A password must have 8 to 1000 characters, not ${length}.`);
}

function decode(input: Uint8Array): string {
  try {
    return toText(input);
  } catch (error) {
    if (error instanceof ContentError) throw new CommandError("A password must be UTF-8.");
    throw error;
  }
}
