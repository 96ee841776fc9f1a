import { readFileSync } from "node:fs";

const packages = ["waymark", "node", "testing"];

/** The entry points of the packages, by what programs import, and the files that they are. */
export const entries: readonly { readonly name: string; readonly file: URL }[] = packages.flatMap((name) => {
  const folder = new URL(`../../../${name}/`, import.meta.url);
  const { name: own, exports } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  const all: readonly (readonly [string, string | { readonly "@waymark/source": string }])[] = Object.entries(exports);
  return all.flatMap(([path, file]) =>
    typeof file === "string" ? [] : [{ name: own + path.slice(1), file: new URL(file["@waymark/source"], folder) }],
  );
});

/** The values and types that a file of exports names. */
export function namesIn(file: URL): readonly string[] {
  const source = readFileSync(file, "utf8");
  const lists = source.matchAll(/^export (?:(?:type )?\{([^}]*)\}|\* as (\w+))/gm);
  return [...lists]
    .flatMap(([, list, room = ""]) => (list ?? room).split(",").map((each) => each.trim().replace(/^type /, "")))
    .filter(Boolean);
}

export const isInternal = ({ name }: { readonly name: string }): boolean => name.endsWith("/internal");

/** What programs import from. */
export const publicEntries: typeof entries = entries.filter((entry) => !isInternal(entry));
