import { HeaderList } from "./header-list.ts";
import { HttpResponse } from "./response.ts";

/**
 * A web `Response` as a response; its body is streamed. Every `Set-Cookie` stays a line of its own.
 *
 * ```ts
 * GET("/{*rest}", (request) => fetch(upstream + request.path));   // a handler may return a web Response itself
 * ```
 *
 * A Content-Length beside a Content-Encoding is left out: what `fetch` has decoded has another length.
 *
 * @throws RangeError when it is `Response.error()`, which has no status
 * @throws TypeError when its body has been read, or is being read
 */
export function fromWebResponse(response: Response): HttpResponse {
  if (response.bodyUsed || response.body?.locked) {
    throw new TypeError("The body of the web Response has been read already; return a clone() to send it too");
  }
  const headers = HeaderList.fromParsed([...response.headers].flat());
  const lengthIsKnown = !headers.has("Content-Encoding");
  return new HttpResponse(response.status, lengthIsKnown ? headers : headers.without("Content-Length"), response.body);
}
