import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { commandOf } from "../command.ts";
import { startService } from "../service.ts";
import type { Suite } from "../suite.ts";

/** What a judge finds wrong with a document, in its own words, or undefined. */
type Judge = (module: never, document: object) => Promise<string | undefined>;

function judgeBy(name: string, judge: Judge): Suite {
  return {
    name,
    subject: "OpenAPI",
    tries: "`/openapi.json`",
    source: { kind: "package", name },
    async run(folder) {
      await using service = await startService();
      const document = JSON.parse((await service.send("GET", "/openapi.json")).text);
      const entry = createRequire(`${folder}/`).resolve(name);
      const module = (await import(pathToFileURL(entry).href)) as never; // its types are installed with it, later
      return [{ name: "/openapi.json", fault: await judge(module, document) }];
    },
  };
}

interface Scalar {
  validate(document: object): Promise<{ readonly valid: boolean; readonly errors?: unknown }>;
}
interface Seriousme {
  readonly Validator: new () => Scalar;
}
interface Swagger {
  readonly default: { validate(document: object): Promise<unknown> };
}

/** Tools that no part of the project is written with, each of which reads the whole document. */
export const openApiJudges: readonly Suite[] = [
  judgeBy("@apidevtools/swagger-parser", async ({ default: parser }: Swagger, document) =>
    parser.validate(document).then(
      () => undefined,
      (error: unknown) => String(error),
    ),
  ),
  judgeBy("@scalar/openapi-parser", async ({ validate }: Scalar, document) => said(await validate(document))),
  judgeBy("@seriousme/openapi-schema-validator", async ({ Validator }: Seriousme, document) =>
    said(await new Validator().validate(document)),
  ),
];

/** Makes a suite of a linter, a command that prints findings as JSON. */
function lintedBy(name: string, args: readonly string[], files: Readonly<Record<string, string>>): Suite {
  return {
    name,
    subject: "OpenAPI",
    tries: "`/openapi.json`",
    source: { kind: "package", name },
    async run(folder) {
      await using service = await startService();
      const cwd = await mkdtemp(join(tmpdir(), "linted-"));
      const document = (await service.send("GET", "/openapi.json")).text;
      for (const [file, content] of Object.entries({ ...files, "openapi.json": document }))
        await writeFile(join(cwd, file), content);
      const command = [await commandOf(folder), "lint", "openapi.json", ...args];
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd }).catch((failed) => failed);
      await rm(cwd, { recursive: true });
      if (!/^[[{]/.test(stdout)) throw new Error(`${name} failed: ${stdout}`);
      const findings = [...stdout.matchAll(/"(?:ruleId|code)": *"([^"]+)"/g)].map(([, rule]) => rule);
      return [{ name: "/openapi.json", fault: findings.length === 0 ? undefined : findings.join(", ") }];
    },
  };
}

/** Linters by their recommended rules, whose warnings count. */
export const openApiLinters: readonly Suite[] = [
  lintedBy("@redocly/cli", ["--format=json"], { "redocly.yaml": "extends: [recommended]\n" }),
  lintedBy("@stoplight/spectral-cli", ["--format=json"], { ".spectral.yaml": 'extends: ["spectral:oas"]\n' }),
];

function said({ valid, errors }: { readonly valid: boolean; readonly errors?: unknown }): string | undefined {
  return valid ? undefined : JSON.stringify(errors);
}
