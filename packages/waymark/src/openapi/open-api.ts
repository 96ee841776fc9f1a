import type { App } from "../app.ts";
import type { ProblemType } from "../common/problem-document.ts";
import type { HttpRequest } from "../request.ts";
import type {
  OpenApiDocument,
  PathItemObject,
  SecurityRequirementObject,
  SecuritySchemeObject,
  Server,
  Tag,
} from "./document.ts";
import { toOperation } from "./operation.ts";
import { Problems } from "./problems.ts";
import { Schemas } from "./schemas.ts";
import { anyMethod, waysOf } from "./ways.ts";

/** What the routes do not say of the API as a whole. Members beyond these are those of OpenAPI's `info`: `license`, `contact`. */
export interface OpenApiOptions {
  readonly title: string;
  /** Of the API. */
  readonly version: string;
  /** CommonMark. */
  readonly description?: string;
  readonly [info: string]: unknown;
  /** Where the API is. Default: where the document is served from. */
  readonly servers?: readonly Server[];
  /** The headings of operations, in their order, with a description of each. */
  readonly tags?: readonly Tag[];
  /** Which credentials requests need. Default: none. */
  readonly security?: openApi.Security;
  /** The prefix of `/problems/…` in the `type` of problems: the `publicUrl` of the app. Default: nothing. */
  readonly problemBase?: string;
  /** The problems that requests get before they reach the app, such as those of the server. Default: none. */
  readonly serverProblems?: readonly ProblemType[];
}

/**
 * Writes the OpenAPI 3.1 document of an app from its routes: paths, parameters, media types and refusals are those by which the
 * router decides. `docs(…)`, documented handlers and filters say the rest. `openApi.in32` makes a document of 3.2 of it.
 *
 * Routes that share a method and a path are one operation, which is described by each of them. HEAD and OPTIONS are in the
 * document where they are declared: every GET answers HEAD, and every path OPTIONS. Refusals of requests that no operation is for
 * are under `x-refusals`, and those of the server are the `default` response of each operation.
 *
 * ```ts
 * const document = await openApi(app, { title: "Books", version: "1.0.0" });
 * ```
 *
 * @throws TypeError (rejects) without a title or a version, and when two operations have one name
 */
export async function openApi(app: App, options: OpenApiOptions): Promise<OpenApiDocument> {
  if (typeof options?.title !== "string" || typeof options.version !== "string") {
    throw new TypeError("openApi(app, { … }) needs the title and the version of the API");
  }
  const { servers = [{ url: "/" }], tags = [], security, problemBase = "", serverProblems = [], ...info } = options;
  const [schemas, problems] = [new Schemas(), new Problems(problemBase)];
  const [refusals, earlier] = problems.refusals(app, serverProblems, schemas);
  const settings = {
    schemas,
    problems,
    earlier,
    securityOf: (sample: HttpRequest) => security?.requirementsOf(sample),
  };
  const paths: Record<
    string,
    Record<string, OpenApiDocument.Operation | Record<string, OpenApiDocument.Operation>>
  > = {};
  const placeOf = new Map<string, string>();
  const usedTags = new Set(tags.map(({ name }) => name));
  for (const ways of waysOf(app)) {
    const { method, path } = ways;
    const operation = await toOperation(ways, settings);
    const [id, place] = [operation.operationId, `${method} ${path.text}`];
    const other = placeOf.get(id);
    if (other !== undefined)
      throw new TypeError(`Both ${other} and ${place} have the name "${id}": operations need names of their own`);
    placeOf.set(id, place);
    for (const tag of operation.tags ?? []) usedTags.add(tag);
    const item = paths[path.text] ?? {};
    paths[path.text] = item;
    if (methodsOfDocument.has(method)) item[method.toLowerCase()] = operation;
    else item["x-operations"] = { ...item["x-operations"], [method]: operation };
  }
  return {
    openapi: "3.1.1",
    info,
    servers,
    tags: [...usedTags].map((name) => tags.find((tag) => tag.name === name) ?? { name }),
    security: [],
    paths,
    "x-refusals": refusals,
    components: { schemas: schemas.named, responses: problems.named, securitySchemes: security?.schemes ?? {} },
  };
}

export declare namespace openApi {
  /** The credentials that an app asks for. */
  interface Security {
    readonly schemes: Readonly<Record<string, SecuritySchemeObject>>;
    /** Returns what a request needs: one of the requirements; nothing where the list is empty. */
    readonly requirementsOf: (request: {
      readonly method: string;
      readonly path: string;
    }) => readonly SecurityRequirementObject[];
  }
  /**
   * Returns a document as one of OpenAPI 3.2, which has a word for QUERY and for methods beyond HTTP's own.
   *
   * ```ts
   * openApi.in32(document).paths["/search"]?.["query"];
   * ```
   */
  const in32: (document: OpenApiDocument) => OpenApiDocument;
}
Object.assign(openApi, { in32: inOpenApi32 });

/** Those that OpenAPI 3.1 knows. */
const methodsOfDocument: ReadonlySet<string> = new Set([...anyMethod, "OPTIONS", "HEAD", "TRACE"]);

/** Is `openApi.in32`. */
function inOpenApi32(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => [path, withQuery(item)] as const);
  return { ...document, openapi: "3.2.0", paths: Object.fromEntries(paths) };
}

function withQuery({ "x-operations": further = {}, ...item }: PathItemObject): PathItemObject {
  const { QUERY: query, ...others } = further as PathItemObject; // the operations by the names of their methods
  return {
    ...item,
    ...(query && { query }),
    ...(Object.keys(others).length > 0 && { additionalOperations: others as PathItemObject[string] }),
  };
}
