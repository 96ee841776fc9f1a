import { excerpt } from "../common/wording.ts";
import { isSenderField } from "../fields/field-line.ts";
import { fieldLines, type HeaderList, isSound } from "../fields/header-list.ts";
import type { HttpResponse } from "../response.ts";

/**
 * Returns whether the response to this method with this status goes without content, whatever its body (RFC 9110
 * §6.4.1, §15.3.6).
 */
export function hasNoContent(method: string, status: number): boolean {
  return method === "HEAD" || isBodilessStatus(status);
}

/**
 * Returns the Content-Length of a response whose content is not sent: for HEAD the one that GET would have, where that is known
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
  // Where all is well a handler may have spared HEAD the content that GET has; an error without a type has none for GET either.
  return declaredLength(headers) ?? (body === null && status >= 400 && !headers.has("Content-Type") ? 0 : undefined);
}

/**
 * Returns the response's fields, but for the type of content where the status has none. Among them may be some that are
 * the sender's.
 */
export function representedFields({ status, headers }: HttpResponse): HeaderList {
  return isBodilessStatus(status) ? headers.without("Content-Type") : headers;
}

/**
 * Returns the response's fields as names and values in turn, without those that are the sender's.
 *
 * @throws TypeError when a field cannot be sent
 */
export function handlerFields(response: HttpResponse): readonly string[] {
  const fields = representedFields(response);
  if (isSound(fields)) return fields.flat;
  // What a transport makes of a field that it cannot carry differs, and some send it.
  fieldLines(fields);
  const { flat } = fields;
  return flat.filter((_, i) => !isSenderField(flat[i - (i % 2)] as string));
}

const isBodilessStatus = (status: number): boolean => status === 204 || status === 304 || status === 205;

/**
 * Returns the length that the response declares for its streamed body; undefined when it declares none.
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
