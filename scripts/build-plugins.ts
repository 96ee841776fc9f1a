import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

// Plugins for esbuild that make the program start faster.

/**
 * Puts all that the program loads when it starts into one chunk. esbuild makes a chunk for each set of entry points that share
 * modules, and each module that is loaded on demand is an entry point: two dozen files, each of which takes time to find, read
 * and link. So each of these imports what is loaded anyway; then it is shared by all of them.
 *
 * @param root the module whose imports are loaded when the program starts
 * @param onDemand the paths of the modules that are loaded on demand
 */
export function oneSharedChunk(root: string, onDemand: ReadonlySet<string>): Plugin {
  return {
    name: "one-shared-chunk",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!onDemand.has(path)) return undefined;
        const source = await readFile(path, "utf8");
        return { contents: `${source}\nimport ${JSON.stringify(root)};\n`, loader: "ts" };
      });
    },
  };
}

/**
 * Takes what is imported of Node's modules from `process.getBuiltinModule`. An import would read all that a module exports: that
 * loads further modules, such as the certificates and WebCrypto of `node:crypto`, and takes 8 ms of a start.
 */
export const directBuiltins: Plugin = {
  name: "direct-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "builtin", sideEffects: false } : undefined,
    );
    onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== "default");
      const head = `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});
const pick = (name) => builtin[name];
export default builtin;
`;
      // A call that is pure is left out where nothing uses its result; reading a property is not.
      const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ pick("${name}");\n`);
      return { contents: head + exported.join(""), loader: "js" };
    });
  },
};
