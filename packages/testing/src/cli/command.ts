import { parseArgs } from "node:util";
import { type App, HttpError, HttpRequest } from "waymark";
import { explainAnswer } from "waymark/internal";
import { openApi } from "waymark/openapi";
import { listRoutes } from "waymark/routing";
import { CommandError, loadApp } from "./load-app.ts";

/** What a command prints, to standard output where its code is 0. */
export interface CommandResult {
  readonly code: 0 | 1 | 2;
  readonly text: string;
}

const usage = `Usage: waymark routes FILE
       waymark explain FILE "METHOD PATH" [-H "NAME: VALUE"]…
       waymark openapi FILE [--title TITLE] [--version VERSION]

FILE is a module that exports an app, as "app" or as its default; --export names another one.

  routes   lists the routes in the order in which they are tried
  explain  says which route takes a request, and why each other one does not; no handler runs
  openapi  prints the OpenAPI document

  waymark routes app.ts
  waymark explain app.ts "DELETE /books"
  waymark openapi app.ts > openapi.json`;

/** Runs the command with its arguments. */
export async function runCommand(args: readonly string[]): Promise<CommandResult> {
  const [command, ...others] = args;
  if (command === undefined) return { code: 2, text: usage };
  if (["--help", "-h", "help"].includes(command)) return { code: 0, text: usage };
  try {
    if (!isCommand(command)) throw new UsageError(`There is no command "${command}"`);
    const given = parse(others);
    const [file, ...operands] = given.positionals;
    if (file === undefined) throw new UsageError(`${command} needs the FILE of an app`);
    const most = command === "explain" ? 1 : 0;
    if (operands.length !== most)
      throw new UsageError(`${command} takes FILE${most === 1 ? ' and "METHOD PATH"' : ""}`);
    const load = () => loadApp(file, given.values.export);
    return { code: 0, text: await commands[command](load, given.values, operands[0] ?? "") };
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, text: `waymark: ${error.message}.\nSee "waymark --help".` };
    const text = error instanceof CommandError ? error.message : String(error instanceof Error ? error.stack : error);
    return { code: 1, text: `waymark: ${text}` };
  }
}

class UsageError extends Error {}

interface Options {
  readonly title?: string | undefined;
  readonly version?: string | undefined;
  readonly header?: readonly string[] | undefined;
}

const commands = {
  routes: async (load: () => Promise<App>) => listRoutes(await load()),
  async explain(load: () => Promise<App>, { header = [] }: Options, line: string) {
    const request = toRequest(line, header);
    return explainAnswer(await load(), request);
  },
  async openapi(load: () => Promise<App>, { title = "API", version = "0.0.0" }: Options) {
    return JSON.stringify(await openApi(await load(), { title, version }), undefined, 2);
  },
};

const isCommand = (text: string): text is keyof typeof commands => Object.hasOwn(commands, text);

function parse(args: readonly string[]) {
  const string = { type: "string" } as const;
  const options = {
    title: string,
    version: string,
    export: string,
    header: { ...string, short: "H", multiple: true },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.replace(/\.$/, "") : String(error));
  }
}

function toRequest(line: string, header: readonly string[]): HttpRequest {
  const [method, target, ...more] = line.split(" ");
  if (!method || !target?.startsWith("/") || more.length > 0) {
    throw new UsageError(`"${line}" is not a method and a path, such as "GET /books/1"`);
  }
  try {
    return header.reduce(
      (request, field) => {
        const [, name = "", value = ""] = /^([^:\s]+):\s*(.*)$/.exec(field) ?? [];
        if (name === "") throw new UsageError(`"${field}" is not a header field, such as "Accept: text/csv"`);
        return request.withHeader(name, value);
      },
      HttpRequest.of({ method, target, headers: { Host: "localhost" } }),
    );
  } catch (error) {
    if (error instanceof HttpError)
      throw new UsageError(`${target} cannot be the path of a request: ${error.response.problem?.detail}`);
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/\.$/, ""));
    throw error;
  }
}
