import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { content, GET, type HttpRequest, type HttpResponse, problem, problemTypes, type Route } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { ofAssets } from "../api/descriptions.ts";
import { packageFile } from "../package-files.ts";

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

export type AssetName = (typeof names)[number];

/** Returns the URL of a file for the pages: it has a digest of the content, so that it can be kept for ever. */
export const assetUrl = (request: HttpRequest<unknown>, name: AssetName): string =>
  toPublicUrl(request, `/assets/${files.get(name)?.name}`);

/** The files; public, since they say nothing of any person. */
export const assetRoutes: Route = GET(
  "/assets/{file}",
  docs(ofAssets),
  ({ variables }) => responses.get(variables.file) ?? unknownFile,
);

const unknownFile = problem(problemTypes.notFound, {
  detail: "The pages have no such file. After an upgrade of the service, reload the page.",
});

interface AssetFile {
  /** `list.3f9c2a1b77.js` */
  readonly name: string;
  readonly text: string;
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const files: ReadonlyMap<AssetName, AssetFile> = readAssets();
const responses = new Map([...files.values()].map((file) => [file.name, toResponse(file)]));

/** A digest of all files. */
export const assetsVersion: string = digest([...responses.keys()].join());

function readAssets(): ReadonlyMap<AssetName, AssetFile> {
  const read = new Map<AssetName, AssetFile>();
  for (const name of names) {
    const source = readFileSync(packageFile(`assets/${name}`), "utf8");
    // A module names another by the name that it is served under.
    const text = source.replaceAll(
      /(?<=from "\.\/)[a-z]+\.js(?=")/g,
      (imported) => read.get(imported as AssetName)?.name ?? imported, // A name that is not one is found by no request.
    );
    const [stem, extension] = name.split(".");
    read.set(name, { name: `${stem}.${digest(text)}.${extension}`, text });
  }
  return read;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

function toResponse({ name, text }: AssetFile): HttpResponse {
  const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "";
  return content(type, text).withHeader("Cache-Control", "public, max-age=31536000, immutable");
}
