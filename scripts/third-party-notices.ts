import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** Writes the notices of packages: name, version, source and licence. */
export function thirdPartyNotices(folders: readonly string[]): string {
  return ["This program contains the following packages.\n", ...folders.map(noticeOf)].join(`\n${"-".repeat(80)}\n\n`);
}

/** Writes the bill of materials of a program that contains the packages, as CycloneDX 1.6 in JSON. */
export function billOfMaterials(program: string, folders: readonly string[]): string {
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", ...materialOf(program) } },
    components: folders.map((folder) => ({ type: "library", ...materialOf(folder) })),
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function materialOf(folder: string): object {
  const { name, version, license } = manifestOf(folder);
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { "bom-ref": purl, name, version, purl, licenses: [{ expression: license }] };
}

/** Returns the folders of all packages of which something is in the files of a bundle. */
export function packagesIn(root: string, outputs: Metafile["outputs"]): readonly string[] {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].toSorted().map((folder) => join(root, folder));
}

/** What the manifest of a package says of it. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
}

function noticeOf(folder: string): string {
  const { name, version, license, author, repository, homepage } = manifestOf(folder);
  const source = (typeof repository === "string" ? repository : repository?.url) ?? homepage ?? "";
  const holder = typeof author === "string" ? author : (author?.name ?? "");
  return `${name} ${version}\n${source}\n${license}\n\n${licenceIn(folder) ?? `Copyright ${holder}`}\n`;
}

function manifestOf(folder: string): Manifest {
  const manifest: Partial<Manifest> = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (manifest.license === undefined) throw new Error(`The package ${manifest.name} names no licence`);
  return manifest as Manifest; // npm installs none without the others
}

/** Returns the text of the licence: a file of its own, or the end of the README. */
function licenceIn(folder: string): string | undefined {
  const files = readdirSync(folder);
  const licences = files.filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file));
  if (licences.length > 0) return licences.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  const readme = files.find((file) => /^readme/i.test(file));
  return readme && /^#+ *licen[cs]e\s*$(.*)/ims.exec(readFileSync(join(folder, readme), "utf8"))?.[1]?.trim();
}
