import { typeName } from "../common/wording.ts";
import type { DescriptionMember } from "../description.ts";

/**
 * Says of a route, or of all routes of a group, that everybody may reach them, and why: `app.findings` reports what is neither
 * open nor guarded in an app with guards. It lets nobody in: below a filter that refuses by 401 or 403 it is an error. Filters
 * of groups within an open one guard all the same.
 *
 * ```ts
 * group("/health", open("monitors have no credentials"), GET("/live", live))
 * ```
 *
 * @param why for who reads the table of routes
 * @throws TypeError when the reason is not a text, or empty
 */
export function open(why: string): DescriptionMember {
  if (typeof why !== "string") throw new TypeError(`open(…) takes the reason, a text, not ${typeName(why)}`);
  if (why.trim() === "") throw new TypeError("open(…) takes a reason that is not empty");
  return { kind: "docs", description: { open: why } };
}
