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

/** Makes a suite of a package that says what is wrong with the text of the document, or undefined. */
function suiteOf(name: string, faultIn: (document: string, folder: string) => Promise<string | undefined>): Suite {
  return {
    name,
    subject: "OpenAPI",
    tries: "`/openapi.json`",
    source: { kind: "package", name },
    async run(folder) {
      await using service = await startService();
      const { text } = await service.send("GET", "/openapi.json");
      return [{ name: "/openapi.json", fault: await faultIn(text, folder) }];
    },
  };
}

const judgeBy = (name: string, judge: Judge): Suite =>
  suiteOf(name, async (document, folder) => {
    const entry = createRequire(`${folder}/`).resolve(name);
    const module = (await import(pathToFileURL(entry).href)) as never; // its types are installed with it, later
    return judge(module, JSON.parse(document));
  });

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
const lintedBy = (name: string, args: readonly string[], files: Readonly<Record<string, string>>): Suite =>
  suiteOf(name, async (document, folder) => {
    const cwd = await mkdtemp(join(tmpdir(), "linted-"));
    for (const [file, content] of Object.entries({ ...files, "openapi.json": document }))
      await writeFile(join(cwd, file), content);
    const command = [await commandOf(folder), "lint", "openapi.json", ...args];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd }).catch((failed) => failed);
    await rm(cwd, { recursive: true });
    if (!/^[[{]/.test(stdout)) throw new Error(`${name} failed: ${stdout}`);
    const findings = [...stdout.matchAll(/"(?:ruleId|code)": *"([^"]+)"/g)].map(([, rule]) => rule);
    return findings.length === 0 ? undefined : findings.join(", ");
  });

/** Linters by their recommended rules, whose warnings count. */
export const openApiLinters: readonly Suite[] = [
  lintedBy("@redocly/cli", ["--format=json"], { "redocly.yaml": "extends: [recommended]\n" }),
  lintedBy("@stoplight/spectral-cli", ["--format=json"], { ".spectral.yaml": 'extends: ["spectral:oas"]\n' }),
];

function said({ valid, errors }: { readonly valid: boolean; readonly errors?: unknown }): string | undefined {
  return valid ? undefined : JSON.stringify(errors);
}
