import type { ContentCoding } from "./content-coding.ts";
import { excerpt } from "./excerpt.ts";
import type { HeaderList } from "./header-list.ts";
import { HttpError } from "./http-error.ts";
import { problem } from "./problem.ts";
import { problemTypes } from "./problem-types.ts";

/**
 * The coding that Content-Encoding names; undefined when the content is as it is. Content that was coded more than once is
 * not read: nobody needs to send it, and each coding multiplies what a few bytes can become.
 *
 * @throws HttpError 415 with Accept-Encoding (RFC 9110 §12.5.3) when the coding is none of these, or there are several
 */
export function chooseCoding(headers: HeaderList, codings: readonly ContentCoding[]): ContentCoding | undefined {
  const field = headers.get("Content-Encoding");
  if (field === undefined) return undefined;
  const names = field.split(",").map((name) => name.trim().toLowerCase());
  const [only, ...others] = names.filter((name) => name !== "" && name !== "identity");
  if (only === undefined) return undefined;
  const coding = codings.find(({ name, aliases }) => name === only || aliases.includes(only));
  if (coding === undefined || others.length > 0) throw unsupported(field, codings);
  return coding;
}

function unsupported(field: string, codings: readonly ContentCoding[]): HttpError {
  const supported = codings.map(({ name }) => name);
  const remedy = supported.length === 0 ? "without one" : `in one of ${supported.join(", ")}, or without one`;
  const detail = `The Content-Encoding is ${excerpt(field)}; send the content ${remedy}.`;
  const refusal = problem(problemTypes.unsupportedContentCoding, { detail });
  return new HttpError(refusal.withHeader("Accept-Encoding", supported.join(", ") || "identity"));
}
