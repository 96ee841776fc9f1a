import { escapeUnprintable } from "../../message-text.ts";
import type { OpenApiDocument, OperationObject, PathItemObject } from "../document.ts";
import type { Context } from "./context.ts";
import { readsText } from "./media-types.ts";
import { Names } from "./names.ts";
import { writeOperation } from "./operation.ts";
import { Problems } from "./problems.ts";
import { pagesPart, segmentPart, sharedPart } from "./shared.ts";
import { Types } from "./types.ts";

/**
 * Writes a client for the document of an app: a module of TypeScript that imports nothing, with a function and written types for
 * each operation. It runs wherever there is `fetch`.
 *
 * ```ts
 * await writeFile("client.ts", toClient(await openApi(app, { title: "Books", version: "1.0.0" })));
 * ```
 *
 * @throws TypeError when two operations would be one function, a schema refers to what the document lacks, or a parameter cannot be
 *   written
 */
export function toClient(document: OpenApiDocument): string {
  const shared = sharedPart(readsText);
  const names = new Names([...declaredIn(shared + segmentPart + pagesPart), ...used, "Problem"]);
  const types = new Types(document, names);
  const context: Context = { document, names, types, problems: new Problems(document, names, types) };
  const operations = operationsOf(document).map((each) => writeOperation(...each, context));
  const { title, version } = document.info;
  const name = `${title} ${version}`.trim().replace(/\s+/g, " ");
  const head = `// A client of ${name}, written by waymark from its routes: write it again when they change.`;
  const parts = [
    head,
    shared,
    ...(operations.some(({ hasVariables }) => hasVariables) ? [segmentPart] : []),
    ...(operations.some(({ hasPages }) => hasPages) ? [pagesPart] : []),
    ...types.declarations,
    ...context.problems.declarations,
    ...operations.map(({ text }) => text),
  ];
  return escapeUnprintable(`${parts.map((part) => part.trim()).join("\n\n")}\n`);
}

/** Returns the operations in the order of the document: method, path and operation. */
function operationsOf({ paths }: OpenApiDocument): readonly (readonly [string, string, OperationObject])[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    // What OpenAPI 3.1 has no word for comes last, whichever version it is.
    const { query, "x-operations": further = {}, additionalOperations = {}, ...known } = item as PathItemObject;
    const others = Object.entries({ ...(query && { QUERY: query }), ...further, ...additionalOperations });
    return [...Object.entries(known), ...others.toSorted(([a], [b]) => (a < b ? -1 : 1))]
      .map(([method, operation]) => [method in known ? method.toUpperCase() : method, operation] as const)
      .filter(([method]) => !notSent.has(method))
      .map(([method, operation]) => [method, path, operation as OperationObject] as const); // as those two members have it
  });
}

/** Those that `fetch` does not send. */
const notSent: ReadonlySet<string> = new Set(["TRACE", "CONNECT", "TRACK"]);

/** What a client uses of the platform, and the names of its parameters. */
const used = `AbortSignal ArrayBuffer Array AsyncGenerator Blob Boolean Error Extract FormData Headers JSON Object Omit
Promise ReadableStream Readonly Record Request Response String TypeError Uint8Array URL URLSearchParams
encodeURIComponent globalThis Accept ContentType api at input`.split(/\s+/);

const declaredIn = (code: string): readonly string[] =>
  Array.from(
    code.matchAll(/^(?:export )?(?:async )?(?:function\*?|interface|type|class|const) (\w+)/gm),
    ([, name = ""]) => name,
  );
