import { fileURLToPath } from "node:url";
import { buildSync, type Metafile } from "esbuild";

/** The files that a browser loads, by their names: what the page begins with in one module, its words and what it loads on demand in others. */
export function buildPage(): { readonly files: ReadonlyMap<string, Uint8Array>; readonly metafile: Metafile } {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: fileURLToPath(new URL("../..", import.meta.url)),
    entryPoints: ["src/app.ts", "style.css", "icon.svg"].map((file) => `packages/people-page/${file}`),
    entryNames: "[name]",
    outdir: "assets",
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    minify: true,
    target: "es2022",
    loader: { ".svg": "copy" },
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [path.replace(/^.*[\\/]/, ""), contents])),
    metafile,
  };
}
