import { parseArgs } from "node:util";
import type { CommandLine } from "../options.ts";
import { quoted } from "../text.ts";
import type { Command } from "./command.ts";
import { keyCommands } from "./key.ts";
import { passwordCommands } from "./password.ts";

/**
 * Reads a command line that begins with a command, such as `key create`; undefined when it begins with none.
 *
 * @param argv the arguments without the program's own name
 */
export function parseCommand(argv: readonly string[]): CommandLine | undefined {
  const [noun = "", verb = "", ...args] = argv;
  const verbs = Object.hasOwn(commands, noun) ? commands[noun] : undefined;
  if (verbs === undefined) return undefined;
  if (argv.includes("--help")) return { kind: "print", text: usage };
  const command = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  const known = Object.keys(verbs).join(", ");
  if (command === undefined) return refuse(`After "${noun}" comes one of ${known}, and not ${quoted(verb)}.`);
  const options = Object.fromEntries(Object.keys(command.options).map((name) => [name, { type: "string" } as const]));
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const values: Record<string, string[]> = {};
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") return refuse(`${quoted(token.value)} is no option.`);
    const { name, rawName, value } = token;
    const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
    if (option === undefined) return refuse(`"${noun} ${verb}" has no option ${quoted(rawName)}.`);
    if (value === undefined || value === "" || (!token.inlineValue && value.startsWith("--"))) {
      return refuse(`${rawName} needs a value.`);
    }
    if (name in values && option.multiple !== true) return refuse(`${rawName} is given more than once.`);
    values[name] = [...(values[name] ?? []), value];
  }
  const missing = Object.keys(command.options).find((name) => command.options[name]?.required && !(name in values));
  if (missing !== undefined) return refuse(`"${noun} ${verb}" needs --${missing}.`);
  return { kind: "command", run: (io) => command.run(values, io) };
}

const commands: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  key: keyCommands,
  password: passwordCommands,
};

const usage = `Usage: person-service key create --name NAME --scope SCOPE [--keys FILE]
       person-service key list [--keys FILE]
       person-service key revoke --name NAME [--keys FILE]
       person-service password hash < FILE

Options:
  --name NAME    what the key is called in lists and logs
  --scope SCOPE  what its holder may do, as the rules of the access file have
                 it; may be given several times
  --keys FILE    the file of keys (default ./data/keys.json)

A service that runs takes keys as they are once it gets SIGHUP.`;

const refuse = (fault: string): CommandLine => ({ kind: "refuse", fault, usage });
