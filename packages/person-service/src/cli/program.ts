import { Help, Option, Command as Program } from "commander";
import { version } from "../package-files.ts";
import type { Command } from "./commands/command.ts";
import { keyCommands, passwordHashCommand } from "./commands/credentials.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import/import.ts";
import { backupCommand, copyCommand, dropIndexesCommand, restoreCommand, resumeCommand } from "./commands/moving.ts";
import { openApiCommand, routesCommand } from "./commands/routes.ts";
import { checkConfigCommand, serveCommand } from "./commands/serve.ts";
import { webhooksCommand } from "./commands/webhooks.ts";
import { flagOf, type Setting } from "./settings/setting.ts";
import { settings } from "./settings/settings.ts";

/** Receives what commander makes of a command line. */
interface Parsing {
  /** Takes the help, or the version. */
  readonly write: (text: string) => void;
  /** Takes the command that is called, with its operands and the texts of its options. */
  readonly call: (name: string, operands: readonly string[], options: Readonly<Record<string, unknown>>) => void;
}

/** Makes the program of its commands: how each is called, and its help. */
export function programOf({ write, call }: Parsing): Program {
  const program: Program = new Program("person-service");
  program
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => undefined, // messages are ours
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .configureHelp({
      visibleOptions: (command) => [...(command.parent === null ? optionsOfServe(program) : []), ...optionsOf(command)],
      visibleCommands: (command) => commandsOf(command).filter((each) => each.name() !== "serve"),
      optionTerm: ({ flags }) => flags.replace(/[<>]/g, ""),
      subcommandTerm: (command) => nameOf(command),
      commandUsage: (command) => `${nameOf(command, "person-service")} ${command.usage()}`.trim(),
    })
    .helpOption("-h, --help", "print this text and exit")
    .version(`person-service ${version()}`, "-V, --version", "print the version and exit")
    .usage("[serve] [options]");
  for (const [name, command] of commands) {
    const added = parentOf(program, name).command(name.split(" ").at(-1) ?? name);
    declare(added, command).action(() => call(name, added.args, added.opts()));
  }
  const [serve] = program.commands;
  return program.description(serve?.description() ?? "").addHelpText("after", `\n${settingsNote}`);
}

const width = 80;
const plain = new Help();

/** Returns what a command of two words is under: `key` for `key create`. */
function parentOf(program: Program, name: string): Program {
  const [first = "", second] = name.split(" ");
  if (second === undefined) return program;
  return program.commands.find((command) => command.name() === first) ?? program.command(first).usage("COMMAND");
}

/** `key create` */
const nameOf = (command: Program, before = ""): string => {
  const names = [command.name()];
  for (let { parent } = command; parent !== null; { parent } = parent) names.unshift(parent.name());
  return [before, ...names.slice(1)].filter((name) => name !== "").join(" ");
};

const optionsOf = (command: Program): Option[] => plain.visibleOptions(command);

const optionsOfServe = ({ commands: [serve] }: Program): readonly Option[] =>
  (serve?.options ?? []).filter(({ hidden }) => !hidden);

/** Those under a word of their own stand beside the others. */
const commandsOf = (command: Program): Program[] =>
  command.commands.flatMap((each) => (each.commands.length > 0 ? commandsOf(each) : [each]));

function declare(
  to: Program,
  { about, operands = [], input = "", options, notes = [], examples = [] }: Command,
): Program {
  const required = Object.entries(options).flatMap(([name, option]) =>
    option.required === true ? `--${flagOf(name)} ${option.value}${option.multiple === true ? "..." : ""}` : [],
  );
  const others = Object.keys(options).length > required.length ? "[options]" : "";
  to.description([about, ...notes].join("\n\n"))
    .summary(about)
    .usage([...operands, ...required, others, input].filter((part) => part !== "").join(" "));
  for (const operand of operands) to.argument(operand.startsWith("[") ? operand : `<${operand}>`);
  for (const [name, option] of Object.entries(options)) addOption(to, name, option);
  const shown = examples.flatMap(([line, purpose]) => [`  # ${purpose}`, `  ${line}`]);
  if (shown.length > 0) to.addHelpText("after", ["\nExamples:", ...shown].join("\n"));
  if (Object.hasOwn(options, "config")) to.addHelpText("after", `\n${settingsNote}`);
  return to;
}

/** Adds an option that gathers its texts: how many there may be, and what they may say, is judged with those of other sources. */
function addOption(
  to: Program,
  name: string,
  { value, short, about, default: byDefault, group }: Setting<unknown>,
): void {
  const flag = `--${flagOf(name)}${value === undefined ? "" : ` <${value}>`}`;
  const text = byDefault === undefined ? about : `${about} (default ${byDefault})`;
  const option = new Option(short === undefined ? flag : `-${short}, ${flag}`, text);
  if (value !== undefined) option.argParser((given: string, before: readonly string[] = []) => [...before, given]);
  to.addOption(group === undefined ? option : option.helpGroup(`${group}:`));
  // Turns off a switch that the environment or the file has turned on.
  if (value === undefined && Object.hasOwn(settings, name)) to.addOption(new Option(`--no-${flagOf(name)}`).hideHelp());
}

const settingsNote = plain.boxWrap(
  "A setting can also be an environment variable, such as PERSON_SERVICE_PORT for --port, or a member of the JSON file of --config. The command line has precedence over the environment, and the environment over the file. PORT and DATABASE_URL, which hosting platforms set, count less than these. The command check-config prints the result.",
  width,
);

/** The commands by name, in the order of the help. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    serve: serveCommand,
    "check-config": checkConfigCommand,
    import: importCommand,
    export: exportCommand,
    webhooks: webhooksCommand,
    routes: routesCommand,
    openapi: openApiCommand,
    copy: copyCommand,
    backup: backupCommand,
    restore: restoreCommand,
    resume: resumeCommand,
    "drop-indexes": dropIndexesCommand,
    ...keyCommands,
    "password hash": passwordHashCommand,
  }),
);
