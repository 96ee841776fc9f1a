import { connectionProblemTypes } from "@waymark/node";
import { type App, problemTypes } from "waymark";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { version } from "../package-files.ts";

/** What the OpenAPI document depends on besides the routes. */
export interface ApiDocumentOptions {
  /** Where clients reach the service. Default: where the document is served from. */
  readonly publicUrl?: string | undefined;
  /** The credentials that requests need. Default: none. */
  readonly security?: openApi.Security | undefined;
}

/** Writes the OpenAPI document of the service. */
export function apiDocument(app: App, { publicUrl, security }: ApiDocumentOptions): Promise<OpenApiDocument> {
  const base = baseOf(publicUrl ?? "");
  return openApi(app, {
    title: "person-service",
    version: version(),
    description: text
      .trim()
      .replaceAll(/\n(?!\n)/g, " ")
      .replaceAll(/\n /g, "\n\n"),
    contact: { name: "The operators of this service" },
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: base === "" ? "/" : base }],
    tags: [
      { name: "People", description: "Read, list, store, change and remove people." },
      { name: "Service", description: "The service itself: whether it is there, and what its problems mean." },
    ],
    ...(security && { security }),
    problemBase: base,
    serverProblems: [...Object.values(connectionProblemTypes), problemTypes.expectationFailed],
  });
}

/** Returns the public URL in the form of links: its host in lower case, and no slash at the end. */
function baseOf(publicUrl: string): string {
  const url = URL.parse(publicUrl);
  return (url === null ? publicUrl : url.origin + url.pathname).replace(/\/$/, "");
}

const text = `
Keeps people: list them, read one, store one. The names of members are those of schema.org.

\`Accept\` chooses the form of an answer, and \`Content-Type\` says what a request is in. Every GET answers HEAD, and every path
OPTIONS. A problem document (RFC 9457) reports what is wrong with a request; its \`type\` leads to a page that says what would
be right.
`;
