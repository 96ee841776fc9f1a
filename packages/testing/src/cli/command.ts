import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type App, HttpError, HttpRequest } from "waymark";
import { explainAnswer } from "waymark/internal";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { listRoutes } from "waymark/routing";
import { CommandError, type CommandResult, UsageError } from "./command-result.ts";
import { loadApp } from "./load-app.ts";

const usage = `Usage: waymark routes FILE
       waymark explain FILE "METHOD PATH" [-H "NAME: VALUE"]…
       waymark openapi FILE [--title TITLE] [--version VERSION]
       waymark contract FILE [--published DOCUMENT] [--fail-on breaks,opens] [-H "NAME: VALUE"]…

FILE is a module that exports an app, as "app" or as its default; --export names another one.

  routes   lists the routes in the order in which they are tried
  explain  says which route takes a request, and why each other one does not; no handler runs
  openapi  prints the OpenAPI document
  contract sends requests to the app, and reports in Markdown what is not answered as declared: as by itself, or as by the OpenAPI
           document that clients have. The code is 1 where a change breaks them, or opens what was guarded

  waymark routes app.ts
  waymark explain app.ts "DELETE /books"
  waymark openapi app.ts > openapi.json
  waymark contract app.ts --published openapi.json`;

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
    const result = await commands[command](load, given.values, operands[0] ?? "");
    return typeof result === "string" ? { code: 0, text: result } : result;
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, text: `waymark: ${error.message}.\nSee "waymark --help".` };
    const text = error instanceof CommandError ? error.message : String(error instanceof Error ? error.stack : error);
    return { code: 1, text: `waymark: ${text}` };
  }
}

interface Options {
  readonly title?: string | undefined;
  readonly version?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly published?: string | undefined;
  readonly "fail-on"?: string | undefined;
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
  async contract(load: () => Promise<App>, { header = [], published, "fail-on": failOn = "breaks,opens" }: Options) {
    const wrong = failOn.split(",").find((each) => each !== "breaks" && each !== "opens");
    if (wrong !== undefined)
      throw new UsageError(`--fail-on takes breaks, opens, or both with a comma, not "${wrong}"`);
    const document = published === undefined ? undefined : await readDocument(published);
    const headers = Object.fromEntries(header.map(toField));
    const options = { headers, ...(document !== undefined && { published: document }) };
    // Loaded on demand: what makes and judges values takes longer than all else.
    const { reportContract } = await import("./contract-report.ts");
    return reportContract(await load(), options, failOn.split(","));
  },
};

async function readDocument(file: string): Promise<OpenApiDocument> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new UsageError(`There is no file ${file}`);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is cut, or not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function toField(field: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^([^:\s]+):\s*(.*)$/.exec(field) ?? [];
  if (name === "") throw new UsageError(`"${field}" is not a header field, such as "Accept: text/csv"`);
  return [name, value];
}

const isCommand = (text: string): text is keyof typeof commands => Object.hasOwn(commands, text);

function parse(args: readonly string[]) {
  const string = { type: "string" } as const;
  const options = {
    title: string,
    version: string,
    export: string,
    published: string,
    "fail-on": string,
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
      (request, field) => request.withHeader(...toField(field)),
      HttpRequest.of({ method, target, headers: { Host: "localhost" } }),
    );
  } catch (error) {
    if (error instanceof HttpError)
      throw new UsageError(`${target} cannot be the path of a request: ${error.response.problem?.detail}`);
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/\.$/, ""));
    throw error;
  }
}
