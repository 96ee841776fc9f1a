import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** Writes the notices of all packages of which something is in the files of a bundle: name, version, source and licence. */
export function thirdPartyNotices(root: string, outputs: Metafile["outputs"]): string {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  }
  const notices = [...folders].toSorted().map((folder) => noticeOf(join(root, folder)));
  return ["This program contains the following packages.\n", ...notices].join(`\n${"-".repeat(80)}\n\n`);
}

/** What the manifest of a package says of it. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
}

function noticeOf(folder: string): string {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license, author, repository, homepage } = manifest;
  if (license === undefined) throw new Error(`The package ${name} names no licence`);
  const source = (typeof repository === "string" ? repository : repository?.url) ?? homepage ?? "";
  const holder = typeof author === "string" ? author : (author?.name ?? "");
  return `${name} ${version}\n${source}\n${license}\n\n${licenceIn(folder) ?? `Copyright ${holder}`}\n`;
}

/** Returns the text of the licence: a file of its own, or the end of the README. */
function licenceIn(folder: string): string | undefined {
  const files = readdirSync(folder);
  const licences = files.filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file));
  if (licences.length > 0) return licences.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  const readme = files.find((file) => /^readme/i.test(file));
  return readme && /^#+ *licen[cs]e\s*$(.*)/ims.exec(readFileSync(join(folder, readme), "utf8"))?.[1]?.trim();
}
