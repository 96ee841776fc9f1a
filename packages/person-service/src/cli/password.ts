import { ContentError, decodeUtf8 } from "waymark/content";
import { hashPassword } from "../access/password-hash.ts";
import { countCharacters } from "../person/text.ts";
import { type Command, CommandError } from "./command.ts";

/** Hashes a password for an access file. */
export const passwordCommands: Readonly<Record<"hash", Command>> = {
  hash: {
    synopsis: ["password hash < FILE"],
    about: "Prints what an access file has of a password, which is read from standard input.",
    options: {},
    async run(_given, { readInput, print }) {
      print(await hashPassword(toPassword(await readInput())));
    },
  },
};

/** Returns the one line of the input. Basic credentials cannot carry control characters (RFC 7617 §2). */
function toPassword(input: Uint8Array): string {
  const password = decode(input).replace(/\r?\n$/, "");
  if (/\p{Cc}/u.test(password)) throw new CommandError("A password is one line, without control characters.");
  const length = countCharacters(password);
  if (length >= 8 && length <= 1000) return password;
  throw new CommandError(`A password has 8 to 1000 characters, and what was read has ${length}.`);
}

function decode(input: Uint8Array): string {
  try {
    return decodeUtf8(input);
  } catch (error) {
    if (error instanceof ContentError) throw new CommandError("A password is UTF-8, and what was read is not.");
    throw error;
  }
}
