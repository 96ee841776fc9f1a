import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { content, GET, type HttpRequest, type HttpResponse, problem, problemTypes, type Route } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { answerCopy } from "../../api/copies.ts";
import { ofAssets } from "../../api/descriptions.ts";
import { packageFile } from "../../package-files.ts";
import { usualNames } from "../../person/countries.ts";
import { type Language, languages } from "../../person/languages.ts";
import { scriptWords } from "../words/words.ts";
import { accentStyle, type Brand } from "./brand.ts";
import { html, type SafeHtml } from "./html.ts";
import { type Reader, readerFor } from "./reader.ts";

/** The files that the pages load, each behind those that it imports. */
const names = [
  "icon.svg",
  "again.js",
  "once.js",
  "style.css",
  "page.js",
  "keys.js",
  "form.js",
  "changes.js",
  "list.js",
  "person.js",
  "import.js",
  "reference.css",
  "reference.js",
] as const;

export type AssetName = (typeof names)[number] | `${"words" | "countries"}.${Language}.js`;

/** Returns the URL of a file for the pages: it has a digest of the content, so that it can be kept for ever. */
export const assetUrl = (request: HttpRequest<unknown>, name: AssetName): string =>
  toPublicUrl(request, `/assets/${fileOf(name).name}`);

/** Returns the URLs of the modules that a module imports, so that a browser fetches them at once. */
export const importedUrls = (request: HttpRequest<unknown>, name: AssetName): readonly string[] =>
  fileOf(name).imports.map((each) => toPublicUrl(request, `/assets/${each}`));

/** Returns the URL of the style of a service's own colour, or of its picture; undefined where it has none. */
export const brandUrl = (request: HttpRequest<unknown>, brand: Brand, part: keyof BrandFiles): string | undefined => {
  const file = brandFiles(brand)[part];
  return file && toPublicUrl(request, `/assets/${file.name}`);
};

/** The files; public, since they say nothing of any person. */
export const assetRoutes = (brand: Brand): Route =>
  GET("/assets/{file}", docs(ofAssets), (request) => {
    const { file } = request.variables;
    const made = Object.values(brandFiles(brand)).find((each) => each?.name === file);
    const response = made === undefined ? assets().responses.get(file) : toResponse(made);
    if (response === undefined) return unknownFile;
    return answerCopy(request, response, [`"${file}"`]);
  });

const unknownFile = problem(problemTypes.notFound, {
  detail: "The pages have no such file. After an upgrade of the service, reload the page.",
});

interface AssetFile {
  /** `list.3f9c2a1b77.js` */
  readonly name: string;
  readonly text: string | Uint8Array;
  /** The names of the modules that it imports. */
  readonly imports: readonly string[];
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};

/** The files, read for the first page: a service without pages reads none. */
interface Assets {
  readonly files: ReadonlyMap<string, AssetFile>;
  /** By the names that they are served under. */
  readonly responses: ReadonlyMap<string, HttpResponse>;
  /** A digest of these files. */
  readonly version: string;
}

let read: Assets | undefined;

function assets(): Assets {
  read ??= readAssets();
  return read;
}

const fileOf = (name: AssetName): AssetFile => assets().files.get(name) as AssetFile; // all are read

interface BrandFiles {
  readonly accent: AssetFile | undefined;
  readonly logo: AssetFile | undefined;
}

function brandFiles(brand: Brand): BrandFiles {
  const { accent, logo } = brand;
  const known = filesOfBrands.get(brand) ?? {
    accent: accent === undefined ? undefined : toFile("accent.css", accentStyle(accent)),
    logo: logo === undefined ? undefined : toFile(`logo.${logo.kind}`, logo.bytes),
  };
  filesOfBrands.set(brand, known);
  return known;
}

const filesOfBrands = new WeakMap<Brand, BrandFiles>();

/** Returns a digest of all files. */
export const assetsVersion = (brand: Brand): string =>
  [assets().version, ...Object.values(brandFiles(brand)).map((file) => file?.name)].join();

function readAssets(): Assets {
  const files = new Map<string, AssetFile>();
  for (const name of names) {
    const imports: string[] = [];
    // A module names another by the name that it is served under.
    const text = textOf(name).replaceAll(/(?<=from ?"\.\/)([a-z]+)\.ts(?=")/g, (_, stem) => {
      const imported = files.get(`${stem}.js`)?.name ?? stem; // A name that is not one is found by no request.
      imports.push(imported);
      return imported;
    });
    files.set(name, toFile(name, text, imports));
  }
  for (const language of languages) {
    const reader = readerFor(language);
    const made = {
      [`words.${language}.js`]: `globalThis.words = ${JSON.stringify(scriptWords(reader.words))};\n`,
      [`countries.${language}.js`]: `export default ${JSON.stringify(String(countryOptions(reader)))};\n`,
    };
    for (const [name, text] of Object.entries(made)) files.set(name, toFile(name, text));
  }
  const responses = new Map([...files.values()].map((file) => [file.name, toResponse(file)]));
  return { files, responses, version: digest([...responses.keys()].join()) };
}

/** Makes what a field of a country suggests: each country by its name, with what else is typed for it. */
function countryOptions({ countries }: Reader): SafeHtml {
  const named = Array.from(countries, ([code, name]) => [name, code] as const);
  const usual = usualNames.map(([other, code]) => [countries.get(code) ?? code, other] as const);
  return html`${[...named, ...usual].map(([name, other]) => html`<option value="${name}">${other}</option>`)}`;
}

/** Reads a file. Scripts are TypeScript, of which a build makes JavaScript; a checkout serves its source, whatever was built of it. */
function textOf(name: (typeof names)[number]): string {
  if (!name.endsWith(".js") || !import.meta.url.endsWith(".ts"))
    return readFileSync(packageFile(`assets/${name}`), "utf8");
  return nodeModule.stripTypeScriptTypes(readFileSync(packageFile(`browser/${name.slice(0, -3)}.ts`), "utf8"));
}

function toFile(name: string, text: string | Uint8Array, imports: readonly string[] = []): AssetFile {
  const end = name.lastIndexOf(".");
  return { name: `${name.slice(0, end)}.${digest(text)}${name.slice(end)}`, text, imports };
}

const digest = (text: string | Uint8Array): string => hash("sha256", text, "hex").slice(0, 10);

function toResponse({ name, text }: AssetFile): HttpResponse {
  const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "";
  const response = content(type, text).withHeader("Cache-Control", "public, max-age=31536000, immutable");
  return response.withHeader("ETag", `"${name}"`);
}
