import { andThen } from "../../common/and-then.ts";
import { DeclarationSite } from "../../common/declaration.ts";
import type { Description } from "../../description.ts";
import type { RepeatedRequest, Repetition } from "../../exchange/answer-recording.ts";
import { type Attribute, attribute } from "../../exchange/exchange.ts";
import { type HeaderList, soundHeaders } from "../../fields/header-list.ts";
import type { Filter } from "../../filter.ts";
import { shareAttribute } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";
import { onRepeat, unasked } from "../../serving/repeatable.ts";

/** The key of the id from `nameRequests`; `onFault` can read it, too. */
export const requestId: Attribute<string> = attribute<string>("requestId");

/**
 * Names every request, so that its response, the entries in the log and the client's report are known to belong together: in
 * `X-Request-Id` of the response, and as the attribute `requestId` of the request, for the filters around this one, too. For
 * `router({ filters })`, in the first place, so that no response goes without.
 *
 * The client, or a proxy in front, may have named it: by an `X-Request-Id` of 1 to 128 letters, digits and `. _ ~ : / +
 * = @ -`, or else by the trace id of a well-formed `traceparent` (W3C Trace Context §3.2). Anything else is not
 * repeated; the request gets a random UUID (version 4, RFC 9562 §5.4), from which no other can be guessed.
 *
 * ```ts
 * router({ filters: [nameRequests()], onFault: (error, request) => log(request?.attribute(requestId), error) }, …)
 * ```
 */
export function nameRequests(): Filter {
  const value = ({ headers }: RepeatedRequest): string => sentId(headers) ?? crypto.randomUUID();
  const renewal: Repetition = { renews: { name: "X-Request-Id", value } };
  return {
    kind: "filter",
    apply: (request, next) => {
      onRepeat(request, renewal);
      const id = unasked(request, () => sentId(request.headers)) ?? crypto.randomUUID();
      // A filter around this one, such as a log, has another request.
      shareAttribute(request, requestId, id);
      return andThen(next(request.withAttribute(requestId, id)), (response) => withId(response, id));
    },
    describes: described,
    repeatable: true,
    site: new DeclarationSite(nameRequests),
  };
}

const described: Description = {
  headers: {
    "X-Request-Id": {
      description: "An id for the request; without it, it gets one.",
      schema: { type: "string", maxLength: 128 },
    },
  },
  responseHeaders: { "X-Request-Id": { description: "The id of the request, which logs and problems name." } },
};

function sentId(headers: HeaderList): string | undefined {
  const sent = headers.get("x-request-id");
  if (sent !== undefined && safeId.test(sent)) return sent;
  const trace = headers.get("traceparent");
  return trace === undefined ? undefined : traceParent.exec(trace)?.[1];
}

function withId(response: HttpResponse, id: string): HttpResponse {
  // A handler may have the field from another server's response.
  const headers = response.headers.without("X-Request-Id");
  return response.withHeaders(headers.concat(soundHeaders(["X-Request-Id", id])));
}

// Nothing that means something to a log, a shell or a page, and all of it allowed in the fragment of a URI (RFC 3986 §3.5).
const safeId = /^[\w.~:/+=@-]{1,128}$/;

// Version ff is invalid, only versions after 00 may go on behind a hyphen, and neither id is zero.
const traceParent = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
