import { typeName } from "../common/wording.ts";
import type { HttpRequest } from "../request.ts";

/** Returns what is wrong with the names in a condition, the first of which is named; undefined where nothing is. */
export function findInvalidIn(
  declaredBy: string,
  names: readonly string[],
  isRight: (name: string) => boolean,
  complaint: string,
): string | undefined {
  if (names.length === 0) return `${declaredBy}() names nothing`;
  const other: unknown = names.find((name) => typeof name !== "string"); // JavaScript callers give anything
  if (other !== undefined) return `${declaredBy}(…) takes texts, not ${typeName(other)}`;
  const wrong = names.find((name) => !isRight(name));
  return wrong === undefined ? undefined : `"${wrong}" ${complaint}`;
}

/** Describes what a request has of a header field, for explanations. */
export function findField(name: string, request: HttpRequest): string {
  const value = request.headers.get(name);
  return value === undefined ? `no ${name}` : `${name}: ${value}`;
}
