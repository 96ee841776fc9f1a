import { ContentError } from "waymark/content";
import { toText } from "../../access/files/json-file.ts";
import { hashPassword } from "../../access/files/password-hash.ts";
import { countCharacters, date } from "../../person/members/value-schemas.ts";
import { anyText, matching, setting } from "../settings/setting.ts";
import { defaultKeysFile, reloadHint, shared } from "../settings/settings.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, command } from "./command.ts";

const day = matching("a day such as 2027-01-31", (text) => date(text) === undefined);

const name = setting(anyText, { value: "NAME", about: "the name of the key in lists and logs", required: true });
const keysOptions = {
  keys: setting(anyText, { value: "FILE", about: "the file of the keys", default: defaultKeysFile }),
  config: shared.config,
};
const creation = {
  name,
  scope: setting(anyText, {
    value: "SCOPE",
    about: "what the holder of the key may do: a scope of the rules in the access file; may be given several times",
    required: true,
    multiple: true,
  }),
  out: setting(anyText, {
    value: "FILE",
    about: "a new file for the key, readable for its owner only; by default it is printed",
  }),
  expires: setting(day, {
    value: "DATE",
    about: "the last day on which the key is good, in UTC; by default it stays good",
  }),
  ...keysOptions,
};
const revocation = { name, ...keysOptions };

/** The commands that make and revoke API keys; check-config lists them. What changes the file is loaded when one of them runs. */
export const keyCommands: Readonly<Record<`key ${string}`, Command>> = {
  "key create": command({
    about: "Makes an API key and shows it, this once.",
    notes: [reloadHint],
    options: creation,
    run: async ({ values }, io) => (await import("./key-changes.ts")).createKey(values, io),
  }),
  "key revoke": command({
    about: "Revokes an API key: the service no longer accepts it.",
    notes: [reloadHint],
    options: revocation,
    run: async ({ values }, io) => (await import("./key-changes.ts")).revokeKey(values, io),
  }),
};

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
