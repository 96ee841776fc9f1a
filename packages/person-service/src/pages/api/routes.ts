import { hash } from "node:crypto";
import { type App, accept, content, GET, group, type HttpRequest, type HttpResponse, type Route } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { type Description, docs, inOpenApi32, type SecurityOptions } from "waymark/openapi";
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
    GET(documentPath, accept("application/json", openApiType, openApi32Type), docs(description), async (request) => {
      const { text } = await read();
      const isIn32 = request.negotiatedType === openApi32Type;
      return answer(request, isIn32 ? JSON.stringify(inOpenApi32(JSON.parse(text))) : text);
    }),
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
    const [{ apiDocument }, { forClients }, { referenceOf }] = await Promise.all([
      import("../../api/document.ts"),
      import("../../api/for-clients.ts"),
      import("./reference.ts"),
    ]);
    const document = forClients(await apiDocument(app(), { publicUrl, security: current }));
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
  const path = toPublicUrl(request, documentPath);
  const url = path.startsWith("/") ? `${scheme}://${host ?? "localhost"}${path}` : path;
  return html`<section id="clients"><h2>Typed clients</h2>
<p>The types of a client are made of the document:</p>
<pre tabindex="0">npx openapi-typescript ${url} --output person-service.d.ts</pre></section>`;
}

const digestOf = (text: string): string => hash("sha256", text, "base64url").slice(0, 22);

function answer(request: HttpRequest<unknown>, text: string): HttpResponse {
  const digest = digestOf(text);
  const type = request.negotiatedType ?? openApiType;
  // The bytes are the same for both types, but a cache keeps the type with its copy.
  const tags = [`"${digest}-json"`, `"${digest}-openapi"`] as const;
  const [tag, other] = type === openApiType ? [tags[1], tags[0]] : tags;
  const response = content(type, text).withHeader("ETag", tag).withHeader("Cache-Control", "no-cache");
  return answerCopy(request, response, [tag, other]);
}
