import { excerpt } from "waymark/content";
import { scope } from "../access/access-file.ts";
import { createApiKey, hashApiKey } from "../access/credentials.ts";
import { changeKeys, isKeyName, readKeys } from "../access/key-file.ts";
import { type Command, CommandRefused, type Given, type Option } from "./command.ts";

const reloadHint = "A service that runs knows it once it gets SIGHUP.";

const nameOption: Option = { value: "NAME", about: "what the key is called in lists and logs", required: true };
const keysOption: Option = { value: "FILE", about: "the file of keys", default: "./data/keys.json" };

/** Makes, lists and revokes API keys. */
export const keyCommands: Readonly<Record<"create" | "list" | "revoke", Command>> = {
  create: {
    about: "Makes an API key and shows it this once.",
    note: reloadHint,
    options: {
      name: nameOption,
      scope: {
        value: "SCOPE",
        about: "what its holder may do, as the rules of the access file have it; may be given several times",
        required: true,
        multiple: true,
      },
      keys: keysOption,
    },
    async run(given, { print, tell }) {
      const file = fileOf(given);
      const name = nameOf(given);
      const scopes = [...new Set(given.values("scope"))];
      const wrong = scopes.find((text) => !scope.safeParse(text).success);
      if (wrong !== undefined) throw new CommandRefused(`${excerpt(wrong)} is no scope, such as person:read.`);
      const key = createApiKey();
      await changeKeys(file, (keys) => {
        if (keys.some((other) => other.name === name)) {
          throw new CommandRefused(
            `There is a key named ${excerpt(name)} already; revoke it first, or name this one otherwise.`,
          );
        }
        return [...keys, { name, hash: hashApiKey(key), scopes, createdAt: new Date().toISOString() }];
      });
      print(key);
      tell(`This is the only time that the key is shown: ${file} has a hash of it alone.`);
      tell(reloadHint);
    },
  },
  list: {
    about: "Lists the API keys: name, time, scopes.",
    options: { keys: keysOption },
    async run(given, { print }) {
      for (const { name, createdAt, scopes } of await readKeys(fileOf(given))) {
        print(`${name}\t${createdAt}\t${scopes.join(" ")}`);
      }
    },
  },
  revoke: {
    about: "Makes an API key useless.",
    note: reloadHint,
    options: { name: nameOption, keys: keysOption },
    async run(given, { tell }) {
      const file = fileOf(given);
      const name = nameOf(given);
      await changeKeys(file, (keys) => {
        const kept = keys.filter((key) => key.name !== name);
        if (kept.length === keys.length) throw new CommandRefused(`There is no key named ${excerpt(name)} in ${file}.`);
        return kept;
      });
      tell(reloadHint);
    },
  },
};

const fileOf = (given: Given): string => given.value("keys") ?? "";

function nameOf(given: Given): string {
  const name = given.value("name") ?? "";
  if (isKeyName(name)) return name;
  throw new CommandRefused(
    `${excerpt(name)} is no name for a key: 1 to 64 letters, digits, dots, hyphens, underscores.`,
  );
}
