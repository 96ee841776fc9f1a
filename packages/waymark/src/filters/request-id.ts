import { DeclarationSite } from "../declaration.ts";
import { type Attribute, attribute } from "../exchange.ts";
import { HeaderList } from "../fields/header-list.ts";
import type { AroundFilter } from "../filter.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { isPromise } from "../routing/pipeline.ts";

/** The id of a request that `nameRequests` has named; `onFault` can read it too. */
export const requestId: Attribute<string> = attribute<string>("requestId");

/**
 * Names every request, so that its response, the entries in the log and the client's report are known to belong together: in
 * `X-Request-Id` of the response, and as the attribute `requestId` of the request. For `router({ filters })`, in the first
 * place, so that no response goes without.
 *
 * The client, or a proxy in front, may have named it: by an `X-Request-Id` of 1 to 128 letters, digits and `. _ ~ : / + = @ -`,
 * or else by the trace id of a well-formed `traceparent` (W3C Trace Context §3.2). Anything else is not repeated; the request gets
 * a random UUID.
 *
 * ```ts
 * router({ filters: [nameRequests()], onFault: (error, request) => log(request?.attribute(requestId), error) }, …)
 * ```
 */
export function nameRequests(): AroundFilter {
  const newId = uuidSource();
  return {
    kind: "around",
    apply: (request, next) => {
      const id = sentId(request) ?? newId();
      const response = next(request.withAttribute(requestId, id));
      return isPromise(response) ? response.then((settled) => withId(settled, id)) : withId(response, id);
    },
    site: new DeclarationSite(nameRequests),
  };
}

function sentId({ headers }: HttpRequest): string | undefined {
  const sent = headers.get("x-request-id");
  if (sent !== undefined && safeId.test(sent)) return sent;
  const trace = headers.get("traceparent");
  return trace === undefined ? undefined : traceParent.exec(trace)?.[1];
}

function withId(response: HttpResponse, id: string): HttpResponse {
  // A handler may have the field from another server's response. Unchecked otherwise: the id is safe to send.
  const headers = response.headers.without("x-request-id");
  return response.withHeaders(headers.concat(HeaderList.fromParsed(["X-Request-Id", id])));
}

// Nothing that means something to a log, a shell or a page, and all of it allowed in the fragment of a URI (RFC 3986 §3.5).
const safeId = /^[\w.~:/+=@-]{1,128}$/;

// Version ff is invalid, only versions after 00 may go on behind a hyphen, and neither id is zero.
const traceParent = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

/**
 * A function that makes random UUIDs (version 4, RFC 9562 §5.4), in blocks of 4,096 that differ in their last three digits alone;
 * these come in an order that nobody knows, so that an id does not tell how many requests there have been.
 *
 * To make an id and write it out takes 70 ns, and with `crypto.randomUUID` for each 220 (Node 26).
 */
function uuidSource(): () => string {
  const endings = shuffled(Array.from({ length: 0x1000 }, (_, n) => n.toString(16).padStart(3, "0")));
  let beginning = "";
  let used = endings.length;
  return () => {
    if (used === endings.length) {
      beginning = crypto.randomUUID().slice(0, -3);
      used = 0;
    }
    return beginning + endings[used++];
  };
}

function shuffled<T>(values: readonly T[]): readonly T[] {
  const keys = crypto.getRandomValues(new Uint32Array(values.length));
  return values
    .map((value, i) => ({ value, key: keys[i] as number }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
