import { excerpt } from "../excerpt.ts";
import type { HeaderList } from "../header-list.ts";
import type { HttpResponse } from "../response.ts";

/** Whether the response to this method with this status goes without content, whatever its body (RFC 9110 §6.4.1, §15.3.6). */
export function hasNoContent(method: string, status: number): boolean {
  return method === "HEAD" || isBodilessStatus(status);
}

/**
 * The Content-Length of a response whose content is not sent: for HEAD the one that GET would have, where that is known
 * (RFC 9110 §8.6, §9.3.2).
 *
 * @throws TypeError as `declaredLength` does
 */
export function unsentLength(response: HttpResponse, byteLength: (text: string) => number): number | undefined {
  const { status, body, headers } = response;
  if (status === 205) return 0;
  if (isBodilessStatus(status)) return undefined;
  if (typeof body === "string") return byteLength(body);
  if (body instanceof Uint8Array) return body.byteLength;
  // Where all is well a handler may have spared HEAD the content that GET has; an error without content has none for GET either.
  return declaredLength(headers) ?? (body === null && status >= 400 ? 0 : undefined);
}

/**
 * The length that a streamed body is said to have; undefined when nothing is said.
 *
 * @throws TypeError when the response's Content-Length is not one number of bytes
 */
export function declaredLength(headers: HeaderList): number | undefined {
  const value = headers.get("Content-Length");
  if (value === undefined) return undefined;
  const length = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(length)) {
    throw new TypeError(`The Content-Length of a response is a number of bytes, not ${excerpt(value)}`);
  }
  return length;
}

/**
 * The response's fields as names and values in turn, in a new array, without those that are the adapter's: length, date
 * and connection; and, where the status has no content, without the type of it.
 */
export function handlerFields(response: HttpResponse): string[] {
  // Each response passes here. The length decides for most names, so no name but these is put in lower case.
  const bodiless = isBodilessStatus(response.status);
  const { flat } = response.headers;
  const fields: string[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    switch (name.length) {
      case 4:
      case 7:
      case 10:
      case 14:
      case 17:
        if (adapterFields.has(name.toLowerCase())) continue;
        break;
      case 12:
        if (bodiless && name.toLowerCase() === "content-type") continue;
    }
    fields.push(name, flat[i + 1] as string);
  }
  return fields;
}

const isBodilessStatus = (status: number): boolean => status === 204 || status === 304 || status === 205;

// Trailer too: no trailer section is ever sent. The switch above knows the lengths of these names.
const adapterFields = new Set(["date", "trailer", "connection", "keep-alive", "content-length", "transfer-encoding"]);
