import { wording } from "waymark/internal";
import { Draft, type MissingMember, PatchFailure } from "./draft.ts";
import { maxDepth, type PatchOperation } from "./json-patch.ts";

/** The result of a patch; or the reason why it was not applied, and the index of the operation at fault. */
type PatchOutcome =
  | { readonly kind: "patched"; readonly value: unknown }
  /** An operation does not fit the value. */
  | { readonly kind: "failed"; readonly index: number; readonly detail: string }
  /** An operation, or the patch as a whole where there is no index, exceeds a bound. */
  | { readonly kind: "excessive"; readonly index: number | undefined; readonly detail: string };

/**
 * Applies the operations of a JSON Patch to a JSON value, in order: all of them or none (RFC 6902 §5). Changes neither argument;
 * the result shares parts with them.
 *
 * The time grows linearly with the length of both: an object or array is copied before its first change, and later changes are
 * made in the copy. Other work is counted and bounded: the values that are set, what `copy` copies and `test` compares, and the
 * elements that move when one is inserted or removed.
 *
 * @param known the names that a member of the value may have, for messages
 *
 * ```ts
 * applyPatch({ name: "Ada" }, [{ op: "replace", path: ["name"], value: "Grace" }]);   // patched, { name: "Grace" }
 * ```
 */
export function applyPatch(
  target: unknown,
  patch: readonly PatchOperation[],
  known: readonly string[] = [],
): PatchOutcome {
  const draft = new Draft(target);
  for (const [index, operation] of patch.entries()) {
    try {
      draft.apply(operation);
    } catch (error) {
      if (!(error instanceof PatchFailure)) throw error;
      const detail = `${error.message}${error.missing === undefined ? "" : hintAt(error.missing, draft.value, known)}`;
      return { kind: error.kind, index, detail };
    }
  }
  if (isDeeper(draft.value, maxDepth)) {
    return { kind: "excessive", index: undefined, detail: `its result nests more than ${maxDepth} deep` };
  }
  return { kind: "patched", value: draft.value };
}

/** Suggests a member of the object, or one that the whole value may have; not where the name is right and only the member is missing. */
function hintAt({ name, within }: MissingMember, whole: unknown, known: readonly string[]): string {
  const expected = within === whole ? known : [];
  if (expected.includes(name)) return "";
  return wording.orNearest(wording.nearestName(name, [...Object.keys(within).slice(0, mostNames), ...expected]));
}

/** An object of a client may have any number. */
const mostNames = 256;

function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isDeeper(part, limit - 1));
}
