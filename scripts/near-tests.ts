import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

/** How many files run: what a change breaks first is in few, and they take some twenty seconds. */
const most = 12;

/**
 * Returns the tests that are nearest to a file of source, the nearest first: those that import it or use what it exports, then
 * those of the files that import it.
 *
 * @param file a path from the folder `cwd`, such as `packages/waymark/src/fields/accept.ts`
 * @param tests the paths of all tests
 * @throws Error when there is no such file
 */
export function nearTests(file: string, tests: readonly string[], cwd: string): readonly string[] {
  const sources = globSync("packages/*/src/**/*.ts", { cwd });
  if (!sources.includes(normalize(file))) throw new Error(`--near takes a file of packages/*/src, not ${file}`);
  const textOf = (path: string): string => readFileSync(join(cwd, path), "utf8");
  const texts = tests.map((path) => ({ path, text: textOf(path) }));
  const near: string[] = [];
  const seen = new Set<string>();
  for (let ring = [normalize(file)]; ring.length > 0 && near.length < most; ) {
    const sourcesOfRing = ring.map((path) => ({ path, text: textOf(path) }));
    const ranked = texts
      .filter(({ path }) => !near.includes(path))
      .map((test) => ({ path: test.path, closeness: Math.max(...sourcesOfRing.map((each) => closeness(each, test))) }))
      .filter(({ closeness }) => closeness > 0)
      .toSorted((a, b) => b.closeness - a.closeness);
    near.push(...ranked.map(({ path }) => path));
    for (const each of ring) seen.add(each);
    ring = sources.filter(
      (path) => !seen.has(path) && ring.some((each) => imports({ path, text: textOf(path) }, each)),
    );
  }
  return near.slice(0, most);
}

/** A file of source or of tests. */
interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** How near a test is to a file: by its name and its folder, by what it imports, and by how often it uses what the file exports. */
function closeness(source: TextFile, test: TextFile): number {
  const exported = Array.from(
    source.text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm),
    ([, name]) => name,
  );
  const names = new RegExp(`\\b(?:${exported.join("|")})\\b`, "g");
  const uses = exported.length === 0 ? 0 : (test.text.match(names)?.length ?? 0);
  const [ofSource, ofTest] = [dirname(source.path).replace("/src", "/test"), dirname(test.path)];
  const isNamed =
    ofTest.startsWith(ofSource.split("/test")[0] ?? "") &&
    basename(test.path).startsWith(`${basename(source.path, ".ts")}.`);
  const isImported = imports(test, source.path);
  if (uses === 0 && !isNamed && !isImported) return 0;
  return Math.min(uses, 20) + (isImported ? 10 : 0) + (isNamed ? 100 : 0) + (ofTest === ofSource ? 5 : 0);
}

const imports = ({ path, text }: TextFile, file: string): boolean =>
  Array.from(text.matchAll(/\bfrom "(\.[^"]+)"/g), ([, to = ""]) => normalize(join(dirname(path), to))).includes(file);
