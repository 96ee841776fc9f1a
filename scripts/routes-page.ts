// Writes docs/routes.html: one file that needs no server, in which waymark runs in the browser.
//
//   npm run routes-page [-- FILE]

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/routes-page");
const {
  outputFiles: [program],
} = await build({
  entryPoints: [join(folder, "page.ts")],
  bundle: true,
  write: false,
  format: "esm",
  charset: "utf8",
  minifySyntax: false,
  conditions: ["@waymark/source"],
});
const page = await readFile(join(folder, "page.html"), "utf8");
const script = program?.text.replaceAll("</script", "<\\/script") ?? "";
const file = process.argv[2] ?? join(root, "docs/routes.html");
await writeFile(
  file,
  page.replace("/* program */", () => script),
);
process.stdout.write(`${file}\n`);
