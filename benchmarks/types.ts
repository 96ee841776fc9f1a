import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rotate } from "./measure.ts";
import { type Summary, summarize } from "./summary.ts";

export interface TypesOptions {
  /** Of five routes each. */
  readonly groups: number;
  readonly rounds: number;
  /** Where the folder with the programs is made. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (step: string) => void;
}

/** What the compiler takes for one of the programs. */
export interface TypesResult {
  readonly name: string;
  /** Seconds of the processor. */
  readonly processorTime: Summary;
  /** The median of each time as a share of that with untyped handlers in the same round. */
  readonly ofUntyped: number;
  readonly instantiations: number;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = join(root, `node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib/tsc`);
const run = promisify(execFile);

/**
 * Measures how long the compiler checks a program of routes that declare what they take and answer, and the same routes and schemas
 * with untyped handlers, on the built declarations. The two take turns.
 */
export async function measureTypes(options: TypesOptions): Promise<readonly TypesResult[]> {
  const { rounds, signal, onProgress } = options;
  await using made = await mkdtempDisposable(join(options.directory, "person-benchmark-types-"));
  const folder = made.path;
  onProgress?.("building the declarations");
  await run(compiler, ["--build", "packages/waymark/tsconfig.build.json"], { cwd: root, signal });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await Promise.all(programs.map((program) => write(folder, program, options.groups)));
  const samples = new Map(programs.map(({ name }): [string, Sample[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name } of rotate(programs, round)) {
      onProgress?.(`round ${round + 1} of ${rounds}: ${name}`);
      samples.get(name)?.push(await check(join(folder, name), signal));
    }
  }
  return Array.from(samples, ([name, of]) => ({
    name,
    processorTime: summarize(of.map(({ seconds }) => seconds)),
    ofUntyped: summarize(of.map(({ seconds }, i) => seconds / (samples.get("untyped")?.[i]?.seconds ?? NaN))).median,
    instantiations: summarize(of.map(({ instantiations }) => instantiations)).median,
  }));
}

interface Sample {
  readonly seconds: number;
  readonly instantiations: number;
}

/** On one thread, so that the work of several does not differ by chance. The shell says what its children took. */
async function check(project: string, signal: AbortSignal): Promise<Sample> {
  const script = '"$0" -p "$1" --singleThreaded --extendedDiagnostics && times';
  const { stdout } = await run("sh", ["-c", script, compiler, project], { signal });
  const [user = "", system = ""] = stdout.trim().split("\n").at(-1)?.split(" ") ?? [];
  return {
    seconds: secondsOf(user) + secondsOf(system),
    instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]),
  };
}

/** `0m1.25s` */
function secondsOf(text: string): number {
  const [minutes = NaN, seconds = NaN] = text.replace(/s$/, "").split("m").map(Number);
  return minutes * 60 + seconds;
}

interface Program {
  readonly name: string;
  /** Returns a group of five routes. */
  readonly group: (n: number) => string;
}

async function write(folder: string, { name, group }: Program, groups: number): Promise<void> {
  const project = join(folder, name);
  await mkdir(project);
  const numbers = Array.from({ length: groups }, (_, n) => n);
  const app = `export const app = router(${numbers.map((n) => `group${n}`).join(", ")});`;
  await writeFile(join(project, "app.ts"), [head, ...numbers.flatMap((n) => [schemas(n), group(n)]), app].join("\n"));
  const compilerOptions = { target: "es2024", module: "nodenext", types: ["node"], strict: true, noEmit: true };
  const config = { compilerOptions: { ...compilerOptions, skipLibCheck: true }, files: ["app.ts"] };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
}

const head = `import { answers, created, DELETE, empty, found, GET, group, json, none, POST, provide, PUT, router, takes } from "waymark";
import { z } from "zod";
const signedIn = provide("caller", () => ({ name: "Ada" }));
`;

const schemas = (n: number): string => `
const Note${n} = z.strictObject({ title: z.string().min(1), tags: z.array(z.string()), at${n}: z.number() });
const New${n} = z.strictObject({ title: z.string().min(1), at${n}: z.number().optional() });
const List${n} = z.array(Note${n});
const Id${n} = z.int();
const Page${n} = z.int().min(1).default(1);
const notes${n} = new Map<number, z.infer<typeof Note${n}>>();
`;

const programs: readonly Program[] = [
  {
    name: "declared",
    group: (n) => `const group${n} = group("/notes${n}", signedIn,
  GET(takes({ query: { page: Page${n} } }), answers({ 200: List${n} }), (_, { query }) =>
    json([...notes${n}.values()].slice(query.page))),
  GET("/{id}", takes({ variables: { id: Id${n} } }), answers({ 200: Note${n}, 404: none }), (_, { variables }) =>
    found(notes${n}.get(variables.id))),
  POST(takes(signedIn, { body: New${n} }), answers({ 201: Note${n} }), async (_, { caller, body }) => {
    const note = { at${n}: 1, ...(await body()), tags: [caller.name] } as z.infer<typeof Note${n}>;
    return created("/notes${n}/1", note);
  }),
  PUT("/{id}", takes({ variables: { id: Id${n} }, body: New${n} }), answers({ 200: Note${n}, 404: none }), async (_, { variables, body }) => {
    const { title } = await body();
    const note = notes${n}.get(variables.id);
    return note === undefined ? empty(404) : json({ ...note, title });
  }),
  DELETE("/{id}", takes({ variables: { id: Id${n} } }), answers({ 204: none, 404: none }), (_, { variables }) =>
    empty(notes${n}.delete(variables.id) ? 204 : 404)),
);`,
  },
  {
    name: "untyped",
    group: (n) => `const group${n} = group("/notes${n}", signedIn,
  GET((request) => json([...notes${n}.values()].slice(Number(request.query.get("page"))))),
  GET("/{id}", (request) => found(notes${n}.get(Number(request.variables.id)))),
  POST(async (request) => {
    const note = { at${n}: 1, ...(await request.body(New${n})), tags: ["Ada"] } as z.infer<typeof Note${n}>;
    return created("/notes${n}/1", note);
  }),
  PUT("/{id}", async (request) => {
    const { title } = await request.body(New${n});
    const note = notes${n}.get(Number(request.variables.id));
    return note === undefined ? empty(404) : json({ ...note, title });
  }),
  DELETE("/{id}", (request) => empty(notes${n}.delete(Number(request.variables.id)) ? 204 : 404)),
);`,
  },
];
