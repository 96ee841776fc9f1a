// Makes a checkout ready to publish: node scripts/prepare-release.ts v0.1.0 https://example.com/owner/name [FOLDER]
//
// It refuses a tag that is not the version of every package, or that the changelog has no section for. Then it names the
// repository in the manifests: npm asks that of packages with provenance, and the links of the READMEs lead there.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folders = ["waymark", "node", "testing", "collection", "person-service"] as const;

const [tag = "", repository = "", root = fileURLToPath(new URL("..", import.meta.url))] = process.argv.slice(2);
const version = tag.replace(/^v/, "");
const manifests = folders.map((folder) => {
  const path = join(root, "packages", folder, "package.json");
  const manifest: Manifest = JSON.parse(readFileSync(path, "utf8"));
  return { folder, path, manifest };
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const names = new Set(manifests.map(({ manifest }) => manifest.name));
const faults = manifests.flatMap(({ manifest: { name, version: own, dependencies = {} } }) => [
  ...(own === version ? [] : [`${name} has the version ${own}, not ${version}`]),
  ...Object.entries(dependencies)
    .filter(([dependency, wanted]) => names.has(dependency) && wanted !== version)
    .map(([dependency, wanted]) => `${name} depends on ${dependency} ${wanted}, not ${version}`),
]);
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
if (!new RegExp(`^## \\[${RegExp.escape(version)}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m").test(changelog)) {
  faults.push(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD"`);
}
if (!/^v\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(tag)) faults.unshift(`The tag must be like v1.2.3, not "${tag}"`);
if (!/^https:\/\/\S+$/.test(repository)) faults.push(`The repository must be an https URL, not "${repository}"`);

if (faults.length > 0) {
  process.stderr.write(`${faults.join("\n")}\n`);
  process.exitCode = 1;
} else {
  for (const { folder, path, manifest } of manifests) {
    const address = { type: "git", url: `git+${repository}.git`, directory: `packages/${folder}` };
    const homepage = `${repository}#readme`;
    writeFileSync(path, `${JSON.stringify({ ...manifest, homepage, repository: address }, undefined, 2)}\n`);
  }
  process.stdout.write(`ready to publish ${version}\n`);
}
