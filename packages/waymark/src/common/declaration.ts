import { isPromise } from "./and-then.ts";
import { typeName } from "./wording.ts";

/** Where in the program a condition, route or group was declared; formatted on demand. */
export class DeclarationSite {
  /** The name of the public function that was called, such as `rateLimit`. */
  readonly declaredBy: string;
  readonly #trace: { stack?: string } = {};

  /**
   * To be called in the function itself: engines with tail calls, such as that of Bun, forget it where it has returned what a
   * function below it makes.
   *
   * @param declaredBy the public function that was called: its caller is the site
   */
  constructor(declaredBy: (...args: never[]) => unknown) {
    this.declaredBy = declaredBy.name;
    captureStackTrace?.(this.#trace, declaredBy);
  }

  /** `file:line:column`, or "an unknown place". */
  toString(): string {
    const caller = this.#trace.stack?.split("\n")[1] ?? "";
    return /\(?((?:file:\/\/)?[^()\s]*:\d+:\d+)\)?$/.exec(caller)?.[1]?.replace(/^file:\/\//, "") ?? "an unknown place";
  }
}

// V8 and JavaScriptCore have this; elsewhere the site is unknown, and messages say so.
const { captureStackTrace } = Error as unknown as {
  readonly captureStackTrace?: (target: object, from: (...args: never[]) => unknown) => void;
};

/** Returns the kind of a value that a function of ours has made. JavaScript callers pass anything, such as undefined from a misspelt import. */
export const kindOf = (value: unknown): unknown => (value as { readonly kind?: unknown } | null | undefined)?.kind;

/** Returns whether the value was made by `router(…)`, of this copy of waymark or another one. */
export const isApp = (value: unknown): value is { fetch(request: Request): Promise<Response> } =>
  typeof value === "object" && value !== null && Symbol.for("waymark.app") in value;

/** Names a value that is in a wrong place, for messages: by the function of ours that has made it, or by its type. */
export function foundName(value: unknown): string {
  const kind = kindOf(value);
  if (kind === "web") return "a web filter, such as cors({ … }), which is for router({ filters: [ … ] }, …)";
  if (isPromise(value)) return "a promise, which needs an await";
  if (isApp(value)) return 'an app, which stands behind its path: mount("/path", app)';
  // What is made by a function of ours says by which; the name of a route or condition is its kind.
  const { declaredBy } = (value as { readonly site?: Partial<DeclarationSite> } | null | undefined)?.site ?? {};
  if (kind === "filter" && declaredBy !== undefined) return `${declaredBy}(…)`;
  return typeof kind === "string" ? `${kind}(…)` : typeName(value);
}

/**
 * Returns the value, which must be an integer of 1 or more.
 *
 * @throws RangeError that names the option
 */
export function positiveInteger(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  const found = typeof value === "string" ? `the string "${value}"` : String(value);
  throw new RangeError(`${option} must be a whole number, 1 or more, not ${found}`);
}
