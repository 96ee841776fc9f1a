import { hash } from "node:crypto";
import { type App, accept, content, GET, type HttpRequest, type HttpResponse, type Route } from "waymark";
import { publicUrl } from "waymark/filters";
import { type Description, docs, openApi } from "waymark/openapi";
import { answerCopy, ofCopies } from "./copies.ts";

/** The path of the OpenAPI document. */
const documentPath = "/openapi.json";

/** Returns the value of a `Link` that leads to the OpenAPI document (RFC 8631). */
export const serviceDescription = (request: HttpRequest<unknown>): string =>
  `<${publicUrl.of(request, documentPath)}>; rel="service-desc"; type="${openApiType}"`;

const openApiType = "application/vnd.oai.openapi+json;version=3.1";
const openApi32Type = "application/vnd.oai.openapi+json;version=3.2";

/** What the routes of the document need. */
export interface ApiOptions {
  /** Returns the app that has these routes. */
  readonly app: () => App;
  readonly publicUrl: string | undefined;
  /** Returns the credentials that requests need; another object after each change. */
  readonly security: (() => openApi.Security) | undefined;
}

/** Makes the route of the OpenAPI document, which is written at its first request. */
export function apiRoute(options: ApiOptions): Route {
  const read = cachedDocument(options);
  return GET(
    documentPath,
    accept("application/json", openApiType, openApi32Type),
    docs(description),
    async (request) => {
      const text = await read();
      const isIn32 = request.negotiatedType === openApi32Type;
      return answer(request, isIn32 ? JSON.stringify(openApi.in32(JSON.parse(text))) : text);
    },
  );
}

const description: Description = {
  operationId: "readApiDocument",
  summary: "Read this document",
  description: "What generators of clients and other tools go by.",
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

function cachedDocument({ app, publicUrl, security }: ApiOptions): () => Promise<string> {
  let cached: { readonly security: openApi.Security | undefined; readonly written: Promise<string> } | undefined;
  const write = async (current: openApi.Security | undefined): Promise<string> => {
    // Loaded here, because making the schemas would take most of the start of the service.
    const { apiDocument, forClients } = await import("./document.ts");
    return JSON.stringify(forClients(await apiDocument(app(), { publicUrl, security: current })));
  };
  return () => {
    const current = security?.();
    if (cached === undefined || cached.security !== current) cached = { security: current, written: write(current) };
    return cached.written;
  };
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
