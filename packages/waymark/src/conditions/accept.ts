import { DeclarationSite } from "../common/declaration.ts";
import { compileNegotiation } from "../fields/accept.ts";
import { parseMediaType } from "../fields/media-type.ts";
import type { NoVariables } from "../path/pattern.ts";
import type { HttpRequest } from "../request.ts";
import { isPlainRange } from "./content-type.ts";
import { type Condition, type ConditionKind, conditionKind, declareAt } from "./kind.ts";
import { findField, findInvalidIn } from "./names.ts";

export interface AcceptData {
  /** In the server's order of preference. */
  readonly mediaTypes: readonly string[];
}

export const acceptKind: ConditionKind<AcceptData> = conditionKind({
  name: "accept",
  stage: "accept",
  repeatable: true,
  findInvalid: ({ mediaTypes }) =>
    findInvalidIn(
      "accept",
      mediaTypes,
      (type) => isPlainRange(parseMediaType(type)),
      "is not a media type (type/subtype, without wildcards and weights)",
    ),
  compile: ({ mediaTypes }) => {
    const choose = typeChooser(mediaTypes);
    return (request) => choose(request) !== undefined;
  },
  consults: () => ["Accept"],
  describe: ({ mediaTypes }) => `accept ${mediaTypes.join(", ")}`,
  find: (_, request) => findField("Accept", request),
  implies: (given, wanted) => given.mediaTypes.every((type) => wanted.mediaTypes.includes(type)),
  parameter: () => undefined,
});

/** Returns what chooses one of these well-formed media types for a request, undefined for none. */
export function typeChooser(mediaTypes: readonly string[]): (request: HttpRequest) => string | undefined {
  const choose = compileNegotiation(mediaTypes);
  return (request) => mediaTypes[choose(request.headers.get("accept"))];
}

/**
 * Matches if the client accepts one of these media types, listed in the server's order of preference. The q-values of
 * Accept choose, the earlier type wins a tie (RFC 9110 §12.5.1), and `request.negotiatedType` is the choice.
 */
export function accept(...mediaTypes: readonly string[]): Condition<NoVariables> {
  return declareAt(acceptKind, { mediaTypes }, new DeclarationSite(accept));
}
