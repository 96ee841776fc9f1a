import { scope } from "../access/access-file.ts";
import { createApiKey, hashApiKey } from "../access/credentials.ts";
import { changeKeys, isKeyName, readKeys } from "../access/key-file.ts";
import { type Command, CommandError, type Given } from "./command.ts";
import { databaseOptions } from "./database-options.ts";
import { type Option, quotedArgument } from "./option.ts";
import { defaultKeysFile } from "./options.ts";

const reloadHint = "A running service reads the file again on SIGHUP.";

const nameOption: Option = { value: "NAME", about: "the name of the key in lists and logs", required: true };
const keysOptions: Readonly<Record<"keys" | "config", Option>> = {
  keys: { value: "FILE", about: "the file of the keys", default: defaultKeysFile },
  config: databaseOptions.config,
};

/** Makes, lists and revokes API keys. */
export const keyCommands: Readonly<Record<"create" | "list" | "revoke", Command>> = {
  create: {
    about: "Makes an API key and shows it, this once.",
    notes: [reloadHint],
    options: {
      name: nameOption,
      scope: {
        value: "SCOPE",
        about: "what the holder of the key may do: a scope of the rules in the access file; may be given several times",
        required: true,
        multiple: true,
      },
      ...keysOptions,
    },
    async run(given, { print, printNote }) {
      const file = fileOf(given);
      const name = nameOf(given);
      const scopes = [...new Set(given.values("scope"))];
      const wrong = scopes.find((text) => !scope.safeParse(text).success);
      if (wrong !== undefined) throw new CommandError(`${quotedArgument(wrong)} is not a scope, such as person:read.`);
      const key = createApiKey();
      await changeKeys(file, (keys) => {
        if (keys.some((other) => other.name === name)) {
          throw new CommandError(
            `There is already a key named ${quotedArgument(name)}: revoke it first, or choose another name.`,
          );
        }
        return [...keys, { name, hash: hashApiKey(key), scopes, createdAt: new Date().toISOString() }];
      });
      print(key);
      printNote(`The key is shown only this once: ${file} keeps a hash of it.`);
      printNote(`To use it, start the service with --access FILE --keys ${file}. ${reloadHint}`);
    },
  },
  list: {
    about: "Lists the API keys: name, time, scopes.",
    options: keysOptions,
    async run(given, { print }) {
      for (const { name, createdAt, scopes } of await readKeys(fileOf(given))) {
        print(`${name}\t${createdAt}\t${scopes.join(" ")}`);
      }
    },
  },
  revoke: {
    about: "Revokes an API key: the service no longer accepts it.",
    notes: [reloadHint],
    options: { name: nameOption, ...keysOptions },
    async run(given, { printNote }) {
      const file = fileOf(given);
      const name = nameOf(given);
      await changeKeys(file, (keys) => {
        const kept = keys.filter((key) => key.name !== name);
        if (kept.length === keys.length)
          throw new CommandError(`There is no key named ${quotedArgument(name)} in ${file}.`);
        return kept;
      });
      printNote(reloadHint);
    },
  },
};

const fileOf = (given: Given): string => given.value("keys") ?? "";

function nameOf(given: Given): string {
  const name = given.value("name") ?? "";
  if (isKeyName(name)) return name;
  throw new CommandError(
    `${quotedArgument(name)} is not a name for a key. A name has 1 to 64 letters, digits, dots, hyphens, underscores.`,
  );
}
