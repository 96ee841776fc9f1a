import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { content, GET, type HttpRequest, type HttpResponse, problem, problemTypes, type Route } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { ofAssets } from "../api/descriptions.ts";
import { packageFile } from "../package-files.ts";
import { dialogs } from "./dialogs.ts";

/** The files that the pages load, each behind those that it imports. */
const names = [
  "icon.svg",
  "again.js",
  "style.css",
  "api.js",
  "form.js",
  "list.js",
  "person.js",
  "import.js",
  "reference.css",
  "reference.js",
] as const;

export type AssetName = (typeof names)[number] | "dialogs.js";

/** Returns the URL of a file for the pages: it has a digest of the content, so that it can be kept for ever. */
export const assetUrl = (request: HttpRequest<unknown>, name: AssetName): string =>
  toPublicUrl(request, `/assets/${fileOf(name).name}`);

/** Returns the URLs of the modules that a module imports, so that a browser fetches them at once. */
export const importedUrls = (request: HttpRequest<unknown>, name: AssetName): readonly string[] =>
  fileOf(name).imports.map((each) => toPublicUrl(request, `/assets/${each}`));

/** The files; public, since they say nothing of any person. */
export const assetRoutes: Route = GET(
  "/assets/{file}",
  docs(ofAssets),
  ({ variables: { file } }) =>
    responses.get(file) ?? (file === dialogsFile().name ? toResponse(dialogsFile()) : unknownFile),
);

const unknownFile = problem(problemTypes.notFound, {
  detail: "The pages have no such file. After an upgrade of the service, reload the page.",
});

interface AssetFile {
  /** `list.3f9c2a1b77.js` */
  readonly name: string;
  readonly text: string;
  /** The names of the modules that it imports. */
  readonly imports: readonly string[];
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const files: ReadonlyMap<string, AssetFile> = readAssets();
let madeDialogs: AssetFile | undefined;

/** Made for the first page, since the names of countries take a fifth of a start. */
function dialogsFile(): AssetFile {
  madeDialogs ??= toFile("dialogs.js", `export default ${JSON.stringify(String(dialogs()))};\n`);
  return madeDialogs;
}

const fileOf = (name: AssetName): AssetFile => files.get(name) ?? dialogsFile();

const responses = new Map([...files.values()].map((file) => [file.name, toResponse(file)]));

/** A digest of all files. */
export const assetsVersion: string = digest([...responses.keys()].join());

function readAssets(): ReadonlyMap<string, AssetFile> {
  const read = new Map<string, AssetFile>();
  for (const name of names) {
    const imports: string[] = [];
    // A module names another by the name that it is served under.
    const text = readFileSync(packageFile(`assets/${name}`), "utf8").replaceAll(
      /(?<=from "\.\/)[a-z]+\.js(?=")/g,
      (each) => {
        const imported = read.get(each)?.name ?? each; // A name that is not one is found by no request.
        imports.push(imported);
        return imported;
      },
    );
    read.set(name, toFile(name, text, imports));
  }
  return read;
}

function toFile(name: string, text: string, imports: readonly string[] = []): AssetFile {
  const [stem, extension] = name.split(".");
  return { name: `${stem}.${digest(text)}.${extension}`, text, imports };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

function toResponse({ name, text }: AssetFile): HttpResponse {
  const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "";
  return content(type, text).withHeader("Cache-Control", "public, max-age=31536000, immutable");
}
