import type { App } from "../app.ts";
import type { ProblemType } from "../problem-types.ts";
import { Components } from "./components.ts";
import type {
  OpenApiDocument,
  OperationObject,
  PathItemObject,
  SecurityRequirementObject,
  SecuritySchemeObject,
  Server,
  Tag,
} from "./document.ts";
import { type OperationSettings, toOperation } from "./operation.ts";
import { type DocumentPath, toDocumentPath } from "./path.ts";
import { refusalsOf } from "./refusals.ts";
import { type Way, waysOf } from "./ways.ts";

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
  readonly security?: SecurityOptions;
  /** The prefix of `/problems/…` in the `type` of problems: the `publicUrl` of the app. Default: nothing. */
  readonly problemBase?: string;
  /** The problems that requests get before they reach the app, such as those of the server. Default: none. */
  readonly serverProblems?: readonly ProblemType[];
}

/** Describes the credentials that an app asks for. */
export interface SecurityOptions {
  readonly schemes: Readonly<Record<string, SecuritySchemeObject>>;
  /** Returns what a request needs: one of the requirements; nothing where the list is empty. */
  readonly requirementsOf: (request: {
    readonly method: string;
    readonly path: string;
  }) => readonly SecurityRequirementObject[];
}

/**
 * Writes the OpenAPI 3.1 document of an app from its routes: paths, parameters, media types and refusals are those by which the
 * router decides. `docs(…)`, documented handlers and filters say the rest. `inOpenApi32` makes a document of 3.2 of it.
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
  const components = new Components();
  const refusals = refusalsOf(app, serverProblems, problemBase, components);
  const settings: OperationSettings = {
    components,
    problemBase,
    earlierRefusal: refusals.earlier,
    securityOf: (sample) => security?.requirementsOf(sample),
  };
  const paths: Record<string, PathItemObject> = {};
  const operations: [string, OperationObject][] = [];
  for (const { path, byMethod } of byPath(waysOf(app))) {
    const item: Record<string, OperationObject> = {};
    const further: Record<string, OperationObject> = {};
    for (const [method, ways] of byMethod) {
      const operation = await toOperation(method, path, ways, settings);
      operations.push([`${method} ${path.text}`, operation]);
      if (methodsOfDocument.has(method)) item[method.toLowerCase()] = operation;
      else further[method] = operation;
    }
    paths[path.text] = { ...item, ...(Object.keys(further).length > 0 && { "x-operations": further }) };
  }
  requireDistinct(operations);
  const { components: parts, ...document } = components.complete({
    openapi: "3.1.1" as const,
    info,
    servers,
    tags: withAllTags(
      tags,
      operations.map(([, operation]) => operation),
    ),
    security: [],
    paths,
    "x-refusals": refusals.byStatus,
  });
  return { ...document, components: { ...parts, securitySchemes: security?.schemes ?? {} } };
}

/** The ways to one path, by method in the order in which they are declared. */
export interface PathWays {
  readonly path: DocumentPath;
  readonly byMethod: ReadonlyMap<string, readonly Way[]>;
}

/** Sorts the ways to handlers by the paths and methods of a document. */
export function byPath(ways: readonly Way[]): readonly PathWays[] {
  const located = ways.map((way) => ({ way, path: toDocumentPath(way.template) }));
  return [...Map.groupBy(located, ({ path }) => path.shape).values()].map((group) => {
    const [{ path }] = group as [(typeof group)[0], ...typeof group]; // groupBy makes no empty group
    const named = new Set(group.flatMap(({ way }) => way.methods ?? [...anyMethod]));
    const byMethod = [...named].map((method): [string, Way[]] => [
      method,
      group.filter(({ way }) => (way.methods ?? anyMethod).includes(method)).map(({ way }) => way),
    ]);
    return { path, byMethod: new Map(byMethod) };
  });
}

/** The methods that a route of every method has in the document. */
const anyMethod: readonly string[] = ["GET", "PUT", "POST", "DELETE", "PATCH"];

/** Those that OpenAPI 3.1 knows. */
const methodsOfDocument: ReadonlySet<string> = new Set([...anyMethod, "OPTIONS", "HEAD", "TRACE"]);

function requireDistinct(operations: readonly (readonly [string, OperationObject])[]): void {
  const byId = Map.groupBy(operations, ([, { operationId }]) => operationId);
  for (const [id, [one, other]] of byId) {
    if (one === undefined || other === undefined) continue;
    throw new TypeError(`Both ${one[0]} and ${other[0]} have the name "${id}": operations need names of their own`);
  }
}

function withAllTags(tags: readonly Tag[], operations: readonly OperationObject[]): readonly Tag[] {
  const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
  const others = [...used].filter((name) => !tags.some((tag) => tag.name === name));
  return [...tags, ...others.map((name) => ({ name }))];
}
