// Writes the reference of the three packages from their doc comments: npm run api-reference [FOLDER]. It writes docs/api, a
// page for each entry point, and fails where an export has no doc comment or a link leads nowhere.

import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Application, type Context, Converter, TSConfigReader } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

const root = fileURLToPath(new URL("../", import.meta.url));
const out = process.argv[2] ?? `${root}docs/api`;

/** The source of each entry point, by the name that a program imports it under. */
const entryPoints = new Map<string, string>();
const packages: string[] = [];
for (const folder of ["waymark", "node", "testing", "collection", "person-service"]) {
  const { name, exports }: Manifest = JSON.parse(await readFile(`${root}packages/${folder}/package.json`, "utf8"));
  packages.push(name);
  for (const [path, { "@waymark/source": source }] of Object.entries(exports)) {
    // What is for the packages of this project only has no page.
    if (path !== "./internal") entryPoints.set(name + path.slice(1), `packages/${folder}/${source.slice(2)}`);
  }
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly "@waymark/source": string }>>;
}

const markdown: Partial<PluginOptions> = {
  outputFileStrategy: "modules",
  flattenOutputFiles: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: true,
  useCodeBlocks: true,
  // Without them it counts anchors otherwise than what shows the pages.
  useHTMLAnchors: true,
  expandParameters: false,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeDeclarationFormat: "table",
};

const app = await Application.bootstrapWithPlugins(
  {
    name: "API reference",
    out,
    entryPoints: [...entryPoints.values()].map((path) => root + path),
    // TypeDoc needs the TypeScript of this folder, which knows less than the one that checks the types.
    tsconfig: `${root}scripts/tsconfig.api.json`,
    skipErrorChecking: true,
    plugin: ["typedoc-plugin-markdown"],
    basePath: root,
    readme: "none",
    disableSources: true,
    excludePrivate: true,
    excludeExternals: true,
    validation: { notExported: false, invalidLink: true, invalidPath: true, notDocumented: true, rewrittenLink: true },
    packagesRequiringDocumentation: packages,
    requiredToBeDocumented: ["Function", "Class", "Interface", "TypeAlias", "Variable"],
    ...markdown,
  },
  [new TSConfigReader()],
);

// TypeDoc names modules by their paths; a program knows them by what it imports.
app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }: Context) => {
  for (const [name, path] of entryPoints) {
    const module = project.children?.find((each) => `${each.name}.ts` === path || `${each.name}/index.ts` === path);
    if (module === undefined)
      throw new Error(`TypeDoc does not know ${path}: ${project.children?.map((each) => each.name).join()}`);
    module.name = name;
  }
});

const project = await app.convert();
if (project !== undefined) {
  app.validate(project);
  await rm(out, { recursive: true, force: true });
  await app.generateOutputs(project);
}
if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
