import { hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import nodeModule from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { content, GET, type HttpRequest, type HttpResponse, problem, problemTypes, type Route } from "waymark";
import { publicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { answerCopy } from "../api/copies.ts";
import { ofAssets } from "../api/descriptions.ts";
import type { Brand } from "../brand.ts";
import { packageFile } from "../package-files.ts";

/** The files of the page. They are read for the first page: a service without pages reads none. */
interface PageFiles {
  readonly responses: ReadonlyMap<string, HttpResponse>;
  /** A digest of all of them: their addresses have it, so that a copy can be kept for ever. */
  readonly version: string;
  /** The modules that the page begins with. */
  readonly modules: readonly string[];
}

let read: PageFiles | undefined;

/** Returns the files of the page. */
export function pageFiles(): PageFiles {
  read ??= readFiles();
  return read;
}

/** Returns the URL of a file of the page. */
export const fileUrl = (request: HttpRequest<unknown>, name: string): string =>
  publicUrl.of(request, `/assets/${pageFiles().version}/${name}`);

/** Returns the URL of the picture of a service; undefined where it has none. */
export const logoUrl = (request: HttpRequest<unknown>, { logo }: Brand): string | undefined =>
  logo && publicUrl.of(request, `/assets/${digest(logo.bytes)}/logo.${logo.kind}`);

/** The files, and the picture of the service; public, since they say nothing of any person. */
export const fileRoutes = ({ logo }: Brand): Route =>
  GET("/assets/{version}/{file}", docs(ofAssets), (request) => {
    const { version, file } = request.variables;
    const isLogo = logo !== undefined && version === digest(logo.bytes) && file === `logo.${logo.kind}`;
    const own = version === pageFiles().version ? pageFiles().responses.get(file) : undefined;
    const response = isLogo ? toResponse(version, file, logo.bytes) : own;
    return response === undefined ? unknownFile : answerCopy(request, response, [`"${version}"`]);
  });

const digest = (content: string | Uint8Array): string => hash("sha256", content, "hex").slice(0, 10);

const toResponse = (version: string, name: string, text: string | Uint8Array): HttpResponse =>
  content(types[extname(name)] ?? "", text)
    .withHeader("Cache-Control", "public, max-age=31536000, immutable")
    .withHeader("ETag", `"${version}"`);

const unknownFile = problem(problemTypes.notFound, {
  detail: "The page has no such file. After an upgrade of the service, load the page again.",
});

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

function readFiles(): PageFiles {
  const files = import.meta.url.endsWith(".ts") ? sourceFiles() : builtFiles();
  const version = digest(Buffer.concat([...files.values()]));
  const modules = [...files.keys()].filter((name) => name.endsWith(".js") && !/^(?:qr|[a-z]{2})\b/.test(name));
  const responses = new Map(Array.from(files, ([name, bytes]) => [name, toResponse(version, name, bytes)] as const));
  return { responses, version, modules };
}

/** What a build has made. */
function builtFiles(): ReadonlyMap<string, Uint8Array> {
  const folder = fileURLToPath(packageFile("assets/"));
  const paths = globSync("*.{css,js,svg}", { cwd: folder }).toSorted();
  return new Map(paths.map((path) => [path, readFileSync(`${folder}/${path}`)]));
}

/** What a build would make now: a checkout serves the source of the page, whatever was built of it. */
function sourceFiles(): ReadonlyMap<string, Uint8Array> {
  // The name is not in an import, so that no bundle takes the builder along.
  const builder: { buildPage(): { readonly files: ReadonlyMap<string, Uint8Array> } } = nodeModule.createRequire(
    import.meta.url,
  )("../../../people-page/build.ts");
  return builder.buildPage().files;
}
