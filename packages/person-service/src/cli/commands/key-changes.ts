import { NewFile } from "@waymark/collection/internal";
import { scope } from "../../access/files/access-file.ts";
import { createApiKey, hashApiKey, isOver, type StoredKey } from "../../access/files/api-key.ts";
import { changeKeys, isKeyName } from "../../access/files/key-file.ts";
import { quotedArgument } from "../settings/setting.ts";
import { reloadHint } from "../settings/settings.ts";
import { CommandError, withFile } from "../terminal/command-error.ts";
import { type CommandStreams, isPrinted } from "../terminal/streams.ts";

/** The file of the keys. */
interface KeysFile {
  readonly keys: string;
}

interface KeyToRevoke extends KeysFile {
  readonly name: string;
}

interface NewKey extends KeyToRevoke {
  readonly scope: readonly string[];
  /** The file for the key; undefined to print it. */
  readonly out: string | undefined;
  /** The last day; undefined for a key that does not end. */
  readonly expires: string | undefined;
}

/** Makes a key, stores its hash, and prints the key or writes it to a file. */
export async function createKey(given: NewKey, { write, printNote }: CommandStreams): Promise<void> {
  const { keys: file, out, expires } = given;
  const end = expires === undefined ? undefined : new Date(Date.parse(expires) + aDay).toISOString();
  if (isOver({ expiresAt: end }, () => new Date())) throw new CommandError(`The day of --expires ${expires} is over.`);
  const name = judgedName(given.name);
  const scopes = [...new Set(given.scope)];
  const wrong = scopes.find((text) => !scope.safeParse(text).success);
  if (wrong !== undefined) throw new CommandError(`${quotedArgument(wrong)} is not a scope, such as person:read.`);
  const key = createApiKey();
  const store = (keys: readonly StoredKey[]): readonly StoredKey[] => {
    if (keys.some((other) => other.name === name)) {
      throw new CommandError(
        `There is already a key named ${quotedArgument(name)}: revoke it first, or choose another name.`,
      );
    }
    return [
      ...keys,
      {
        name,
        hash: hashApiKey(key),
        scopes,
        createdAt: new Date().toISOString(),
        ...(end !== undefined && { expiresAt: end }),
      },
    ];
  };
  if (out === undefined) {
    await changeKeys(file, store);
    write(`${key}\n`);
    if (!(await isPrinted())) {
      await removeKey(file, name);
      throw new CommandError("No key was made, since it could not be shown.");
    }
    printNote(`The key is shown only this once: ${file} keeps a hash of it.`);
  } else {
    // It gets its name behind the change: there is no key without its hash, and no hash whose key nobody has.
    const write = async (): Promise<void> => {
      await using output = await NewFile.open(out);
      await output.handle.writeFile(`${key}\n`);
      await changeKeys(file, store);
      await output.finish();
    };
    await withFile(out, "made", write, "--out");
    printNote(`The key is in ${out} only: ${file} keeps a hash of it.`);
  }
  printNote(`To use it, start the service with --access FILE --keys ${file}. ${reloadHint}`);
}

/** Removes a key from the file. */
export async function revokeKey({ keys: file, ...given }: KeyToRevoke, { printNote }: CommandStreams): Promise<void> {
  const name = judgedName(given.name);
  await removeKey(file, name);
  printNote(`The key ${name} is no longer in ${file}. ${reloadHint}`);
}

/** In milliseconds. */
const aDay = 86_400_000;

const removeKey = (file: string, name: string): Promise<void> =>
  changeKeys(file, (keys) => {
    const kept = keys.filter((key) => key.name !== name);
    if (kept.length === keys.length)
      throw new CommandError(`There is no key named ${quotedArgument(name)} in ${file}.`);
    return kept;
  });

function judgedName(name: string): string {
  if (isKeyName(name)) return name;
  throw new CommandError(
    `${quotedArgument(name)} is not a name for a key. A name has 1 to 64 letters, digits, dots, hyphens, underscores.`,
  );
}
