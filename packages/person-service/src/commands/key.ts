import { scope } from "../access/access-file.ts";
import { createApiKey, hashApiKey } from "../access/api-key.ts";
import { changeKeys, isKeyName, readKeys } from "../access/key-file.ts";
import { quoted } from "../text.ts";
import { type Command, type CommandOptions, CommandRefused } from "./command.ts";

/** Makes, lists and revokes API keys. */
export const keyCommands: Readonly<Record<"create" | "list" | "revoke", Command>> = {
  create: {
    options: { name: { required: true }, scope: { required: true, multiple: true }, keys: {} },
    async run(options, { print, tell }) {
      const file = fileOf(options);
      const name = nameOf(options);
      const scopes = [...new Set(options["scope"])];
      const wrong = scopes.find((text) => !scope.safeParse(text).success);
      if (wrong !== undefined) throw new CommandRefused(`${quoted(wrong)} is no scope, such as person:read.`);
      const key = createApiKey();
      await changeKeys(file, (keys) => {
        if (keys.some((other) => other.name === name)) {
          throw new CommandRefused(
            `There is a key named ${quoted(name)} already; revoke it first, or name this one otherwise.`,
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
    options: { keys: {} },
    async run(options, { print }) {
      for (const { name, createdAt, scopes } of await readKeys(fileOf(options))) {
        print(`${name}\t${createdAt}\t${scopes.join(" ")}`);
      }
    },
  },
  revoke: {
    options: { name: { required: true }, keys: {} },
    async run(options, { tell }) {
      const file = fileOf(options);
      const name = nameOf(options);
      await changeKeys(file, (keys) => {
        const kept = keys.filter((key) => key.name !== name);
        if (kept.length === keys.length) throw new CommandRefused(`There is no key named ${quoted(name)} in ${file}.`);
        return kept;
      });
      tell(reloadHint);
    },
  },
};

const reloadHint = "A service that runs knows it once it gets SIGHUP.";

const fileOf = ({ keys = ["./data/keys.json"] }: CommandOptions): string => keys[0] as string; // one at least

function nameOf(options: CommandOptions): string {
  const [name = ""] = options["name"] ?? [];
  if (isKeyName(name)) return name;
  throw new CommandRefused(
    `${quoted(name)} is no name for a key: 1 to 64 letters, digits, dots, hyphens, underscores.`,
  );
}
