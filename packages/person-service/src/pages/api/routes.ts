import { hash } from "node:crypto";
import {
  type App,
  accept,
  content,
  GET,
  group,
  HttpError,
  type HttpRequest,
  type HttpResponse,
  problem,
  problemTypes,
  type Route,
  takes,
} from "waymark";
import { toPublicUrl } from "waymark/filters";
import { excerpt } from "waymark/internal";
import {
  type Description,
  docs,
  inOneMediaType,
  inOpenApi32,
  type OpenApiDocument,
  type SecurityOptions,
} from "waymark/openapi";
import { optional, string } from "waymark/schema";
import { answerCopy, ofCopies } from "../../api/copies.ts";
import { ofReference } from "../../api/descriptions.ts";
import { assetUrl } from "../frame/assets.ts";
import { pageResponse } from "../frame/document.ts";
import { html, type SafeHtml } from "../frame/html.ts";
import type { Site } from "../frame/site.ts";
import { variantFor } from "../variant.ts";

/** The path of the reference of the API, a page. */
export const referencePath = "/docs";

/** The path of the OpenAPI document. */
export const documentPath = "/openapi.json";

/** Returns the value of a `Link` that leads to the OpenAPI document (RFC 8631). */
export const serviceDescription = (request: HttpRequest<unknown>): string =>
  `<${toPublicUrl(request, documentPath)}>; rel="service-desc"; type="${openApiType}"`;

const openApiType = "application/vnd.oai.openapi+json;version=3.1";
const openApi32Type = "application/vnd.oai.openapi+json;version=3.2";

/** What the routes of the document need. */
export interface ApiOptions {
  /** Returns the app that has these routes. */
  readonly app: () => App;
  readonly site: Site;
  readonly publicUrl: string | undefined;
  /** Returns the credentials that requests need; another object after each change. */
  readonly security: (() => SecurityOptions) | undefined;
}

/** Makes the routes of the OpenAPI document, which is written at its first request, and of its page. */
export function apiRoutes(options: ApiOptions): Route {
  const read = cachedDocument(options);
  return group(
    GET(
      documentPath,
      accept("application/json", openApiType, openApi32Type),
      // A misspelt parameter would bring the whole document.
      takes({ query: { media: optional(string()) }, strict: true }),
      docs(description),
      async (request, { query: { media } }) => {
        const { text } = await read();
        const isIn32 = request.negotiatedType === openApi32Type;
        return answer(request, media === undefined && !isIn32 ? text : rewritten(text, media, isIn32));
      },
    ),
    GET(referencePath, accept("text/html"), docs(ofReference), async (request) =>
      referencePage(options.site, request, await read()),
    ),
  );
}

const description: Description = {
  operationId: "readApiDocument",
  summary: "Read this document",
  description: "What generators of clients, tools and the reference page go by.",
  tags: ["Service"],
  query: {
    media: {
      description:
        "The one media type that a client uses, such as `application/json`: the document then has no other where it has this, so that types generated of it are no unions.",
    },
  },
  ...ofCopies({
    description: "The OpenAPI document of the service.",
    schema: {
      type: "object",
      required: ["openapi", "info", "paths"],
      properties: { openapi: { type: "string" }, info: { type: "object" }, paths: { type: "object" } },
    },
  }),
};

interface WrittenDocument {
  readonly text: string;
  readonly reference: SafeHtml;
}

function cachedDocument({ app, publicUrl, security }: ApiOptions): () => Promise<WrittenDocument> {
  let cached:
    | { readonly security: SecurityOptions | undefined; readonly written: Promise<WrittenDocument> }
    | undefined;
  const write = async (current: SecurityOptions | undefined): Promise<WrittenDocument> => {
    // Loaded here, because making the schemas would take most of the start of the service.
    const [{ apiDocument }, { referenceOf }] = await Promise.all([
      import("../../api/document.ts"),
      import("./reference.ts"),
    ]);
    const document = await apiDocument(app(), { publicUrl, security: current });
    return { text: JSON.stringify(document), reference: referenceOf(document) };
  };
  return () => {
    const current = security?.();
    if (cached === undefined || cached.security !== current) cached = { security: current, written: write(current) };
    return cached.written;
  };
}

function referencePage(site: Site, request: HttpRequest<unknown>, { text, reference }: WrittenDocument): HttpResponse {
  const parts = { title: "API reference", kind: "reference", modules: ["reference.js"] } as const;
  const response = pageResponse(
    site,
    request,
    parts,
    html`<link rel="stylesheet" href="${assetUrl(request, "reference.css")}"><div data-base="${toPublicUrl(request, "")}">${reference}${clients(request)}</div>`,
  );
  const tag = `"${digestOf(text)}-${variantFor(site, request)}"`;
  return answerCopy(request, response.withHeader("ETag", tag), [tag]);
}

/** Says how a typed client is made. */
function clients(request: HttpRequest<unknown>): SafeHtml {
  const { scheme, host } = request.client;
  const path = toPublicUrl(request, `${documentPath}?media=application/json`);
  const url = path.startsWith("/") ? `${scheme}://${host ?? "localhost"}${path}` : path;
  return html`<section id="clients"><h2>Typed clients</h2>
<p>The document with JSON only has a type for each answer, and no unions:</p>
<pre tabindex="0">npx openapi-typescript "${url}" --output person-service.d.ts</pre></section>`;
}

const digestOf = (text: string): string => hash("sha256", text, "base64url").slice(0, 22);

/**
 * Returns the document in one media type, or in another version.
 *
 * @throws HttpError 400 when it has nothing in this type
 */
function rewritten(text: string, media: string | undefined, isIn32: boolean): string {
  const document: OpenApiDocument = JSON.parse(text); // it was written so
  const narrowed = media === undefined ? document : inOneMediaType(document, media);
  if (narrowed !== undefined) return JSON.stringify(isIn32 ? inOpenApi32(narrowed) : narrowed);
  const found = excerpt(media ?? "");
  throw invalidParameter("media", `No operation has content of the type ${found}; application/json would do.`);
}

const invalidParameter = (parameter: string, detail: string): HttpError =>
  new HttpError(problem(problemTypes.invalidParameters, { detail, errors: [{ parameter, detail }] }));

function answer(request: HttpRequest<unknown>, text: string): HttpResponse {
  const digest = digestOf(text);
  const type = request.negotiatedType ?? openApiType;
  // The bytes are the same for both types, but a cache keeps the type with its copy.
  const tags = [`"${digest}-json"`, `"${digest}-openapi"`] as const;
  const [tag, other] = type === openApiType ? [tags[1], tags[0]] : tags;
  const response = content(type, text).withHeader("ETag", tag).withHeader("Cache-Control", "no-cache");
  return answerCopy(request, response, [tag, other]);
}
