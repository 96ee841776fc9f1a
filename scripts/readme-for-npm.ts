import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { posix } from "node:path";

// Runs in the folder of a package, as its `prepack` and, with --restore, as its `postpack`. The links of the README lead to files of
// the repository, which a tarball does not have: in the tarball they lead to the repository's address, or are plain text while
// the manifest names none.

const readme = "README.md";
const original = ".readme-of-repository.md";

if (existsSync(original)) renameSync(original, readme);
if (!process.argv.includes("--restore")) {
  const text = readFileSync(readme, "utf8");
  writeFileSync(original, text);
  writeFileSync(readme, withoutRelativeLinks(text, JSON.parse(readFileSync("package.json", "utf8")).repository));
}

function withoutRelativeLinks(text: string, repository: { url: string; directory: string } | undefined): string {
  return text.replace(/\[([^\]]*)\]\((?![a-z]+:|#)([^)]*)\)/g, (_, label: string, path: string) => {
    if (repository === undefined) return label;
    const address = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
    return `[${label}](${address}/blob/main/${posix.join(repository.directory, path)})`;
  });
}
