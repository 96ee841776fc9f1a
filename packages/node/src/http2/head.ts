import type { HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { parsedHeaders, trimBlanks } from "waymark/internal";
import { type HeadLimits, refuseFields, sizeOfLines } from "../head-fields.ts";
import { decodeTarget, refuseTarget } from "../http1/request-line.ts";
import { refusals } from "../refusals.ts";

/** The head of a request of HTTP/2 as HTTP/1.1 would have it. */
export interface Http2Head {
  readonly method: string;
  readonly target: string;
  /** `:authority` is Host, and Cookie is one line (RFC 9113 §8.2.3, §8.3.1). */
  readonly headers: HeaderList;
}

/** Reads the names and values in turn that Node has of a stream; what breaks HTTP/2 itself, Node has refused by then. */
export function readHttp2Head(raw: readonly string[]): Http2Head {
  let method = "";
  let path = "";
  let authority: string | undefined;
  const fields: string[] = [];
  const cookies: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    // A value is no shorter or longer for blanks around it (RFC 9110 §5.5), which HTTP/2 forbids and some send.
    const value = trimBlanks(raw[i + 1] as string);
    if (name === ":method") method = value;
    else if (name === ":path") path = value;
    else if (name === ":authority") {
      authority = value;
      fields.push("host", value);
    } else if (name === "cookie") cookies.push(value);
    // It may stand beside :authority as long as it is the same, and comes behind it.
    else if (!name.startsWith(":") && (name !== "host" || value !== authority)) fields.push(name, value);
  }
  if (cookies.length > 0) fields.push("cookie", cookies.join("; "));
  // CONNECT has no path, and is refused.
  return { method, target: decodeTarget(path), headers: parsedHeaders(fields) };
}

/** Returns the refusal of a head that breaks HTTP or the limits; undefined when it is sound. */
export function refuseHttp2Head(head: Http2Head, limits: HeadLimits): HttpResponse | undefined {
  const { method, target, headers } = head;
  if (method === "CONNECT") return refusals.tunnel.response;
  return (refuseFields(headers, sizeOfLines(headers), limits) ?? refuseTarget(method, target, limits))?.response;
}
