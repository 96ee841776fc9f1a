import { andThen } from "../and-then.ts";
import type { RepeatedRequest, Repetition } from "../answer-recording.ts";
import { DeclarationSite } from "../declaration.ts";
import type { Description } from "../description.ts";
import { type Attribute, attribute } from "../exchange.ts";
import { type HeaderList, soundHeaders } from "../fields/header-list.ts";
import type { Filter } from "../filter.ts";
import { onRepeat, unasked } from "../repeatable.ts";
import { shareAttribute } from "../request.ts";
import type { HttpResponse } from "../response.ts";

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
  const randomId = idSource();
  const value = ({ headers }: RepeatedRequest): string => sentId(headers) ?? randomId();
  const renewal: Repetition = { renews: { name: "X-Request-Id", value } };
  return {
    kind: "filter",
    apply: (request, next) => {
      onRepeat(request, renewal);
      const id = unasked(request, () => sentId(request.headers)) ?? randomId();
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

// `crypto.randomUUID` puts each id together from twenty pieces of text, which have to be joined again before it is sent, and
// takes 1.5 times the instructions (Node 26). Here many are one text, of which each is a part.
function idSource(): () => string {
  let ids = "";
  let used = 0;
  return () => {
    if (used === ids.length) {
      ids = randomIds();
      used = 0;
    }
    used += idLength;
    return ids.slice(used - idLength, used);
  };
}

/** UUIDs of version 4, one behind the other. */
function randomIds(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16 * idsAtOnce));
  const text = new Uint8Array(idLength * idsAtOnce).fill(hyphen);
  const view = new DataView(text.buffer);
  for (let id = 0; id < idsAtOnce; id++) {
    const first = 16 * id;
    bytes[first + 6] = ((bytes[first + 6] as number) & 0x0f) | 0x40; // there are sixteen for each
    bytes[first + 8] = ((bytes[first + 8] as number) & 0x3f) | 0x80;
    for (let i = 0; i < 16; i++) {
      view.setUint16(idLength * id + (places[i] as number), digits[bytes[first + i] as number] as number);
    }
  }
  return new TextDecoder("latin1").decode(text);
}

/** The positions of the digits of each byte, between the hyphens. */
const places = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
const idLength = 36;
const idsAtOnce = 128;
const hyphen = 0x2d;
/** The two hexadecimal digits of each byte, as the bytes of their characters. */
const digits = Uint16Array.from({ length: 256 }, (_, byte) => {
  const text = byte.toString(16).padStart(2, "0");
  return (text.charCodeAt(0) << 8) | text.charCodeAt(1);
});

// Nothing that means something to a log, a shell or a page, and all of it allowed in the fragment of a URI (RFC 3986 §3.5).
const safeId = /^[\w.~:/+=@-]{1,128}$/;

// Version ff is invalid, only versions after 00 may go on behind a hyphen, and neither id is zero.
const traceParent = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
