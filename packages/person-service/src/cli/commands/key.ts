import { databaseOptions } from "../settings/database-options.ts";
import type { Option } from "../settings/option.ts";
import { defaultKeysFile, reloadHint } from "../settings/options.ts";
import type { Command } from "./command.ts";

const nameOption: Option = { value: "NAME", about: "the name of the key in lists and logs", required: true };
const keysOptions: Readonly<Record<"keys" | "config", Option>> = {
  keys: { value: "FILE", about: "the file of the keys", default: defaultKeysFile },
  config: databaseOptions.config,
};

/** The commands that make, list and revoke API keys. What changes the file is loaded when one of them runs. */
export const keyCommands: Readonly<Record<`key ${string}`, Command>> = {
  "key create": {
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
      out: { value: "FILE", about: "a new file for the key, readable for its owner only; by default it is printed" },
      ...keysOptions,
    },
    run: async (given, io) => (await import("./key-changes.ts")).createKey(given, io),
  },
  "key list": {
    about: "Lists the API keys: name, time, scopes.",
    options: keysOptions,
    run: async (given, io) => (await import("./key-changes.ts")).listKeys(given, io),
  },
  "key revoke": {
    about: "Revokes an API key: the service no longer accepts it.",
    notes: [reloadHint],
    options: { name: nameOption, ...keysOptions },
    run: async (given, io) => (await import("./key-changes.ts")).revokeKey(given, io),
  },
};
