import type { MediaType } from "../media-type.ts";

/**
 * Whether content of the type is text of some kind, or a format without a compression of its own, so that coding makes it
 * smaller. Pictures, sound, films and archives are compressed already.
 *
 * ```ts
 * compress({ codings: nodeCodings, compressible: (type) => isCompressible(type) || type.subtype === "x-protobuf" })
 * ```
 */
export function isCompressible({ type, subtype }: MediaType): boolean {
  if (type === "text") return true;
  const suffix = subtype.slice(subtype.lastIndexOf("+") + 1);
  if (textSyntaxes.has(suffix)) return true;
  return uncompressed.has(`${type}/${subtype}`);
}

// As a whole subtype (application/json) or as a structured syntax suffix (RFC 6838 §4.2.8: image/svg+xml).
const textSyntaxes: ReadonlySet<string> = new Set(["json", "xml", "yaml", "json-seq"]);

const uncompressed: ReadonlySet<string> = new Set([
  ...["application/javascript", "application/x-javascript", "application/ecmascript", "application/wasm"],
  ...["application/jsonl", "application/x-ndjson", "application/x-www-form-urlencoded", "application/graphql"],
  ...["application/sql", "application/toml", "application/rtf", "application/n-triples", "application/n-quads"],
  ...["application/xml-dtd", "application/vnd.ms-fontobject", "font/otf", "font/ttf", "image/bmp", "image/x-icon"],
]);
