import { decodeUtf8 } from "../content/decoder.ts";
import type { HttpRequest } from "../request.ts";

/**
 * Returns the name and the password of the request (Basic, RFC 7617); undefined where it has none, or none that can be read. Store
 * and compare digests of passwords, never the text.
 *
 * ```ts
 * access((request) => {
 *   const { name, password } = basicCredentials(request) ?? {};
 *   …
 * })
 * ```
 */
export function basicCredentials({
  headers,
}: HttpRequest<unknown>): { readonly name: string; readonly password: string } | undefined {
  const fields = headers.getAll("Authorization");
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(fields[0] ?? "") ?? [];
  // Two fields are two callers.
  if (encoded === undefined || fields.length !== 1) return undefined;
  try {
    const text = decodeUtf8(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
    const colon = text.indexOf(":");
    return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    return undefined;
  }
}
