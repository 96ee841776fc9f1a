import { typeName } from "../type-name.ts";

/** A rule of one's own for origins. It must be pure: nothing but the origin decides, and `Vary` says so to caches. */
export interface OriginTest {
  /** For the message when the test gives something else than a boolean. */
  readonly name: string;
  /** Given an origin as browsers send it, `https://app.example.com`; never `null`, which any page can pass itself off as. */
  readonly allows: (origin: string) => boolean;
}

/** Whether the value of an Origin field is one of those that were listed. */
export type AllowsOrigin = (origin: string) => boolean;

/**
 * The origins as one question. Texts are compared whole; `https://*.example.com` is every origin below `example.com`, by
 * one label or more, and not `https://example.com` itself.
 *
 * @param origins well formed: `mistakeInOrigin` finds none in any of them
 */
export function compileOrigins(origins: readonly (string | OriginTest)[]): AllowsOrigin {
  const texts = origins.filter((origin) => typeof origin === "string");
  const exact = new Set(texts.filter((text) => !text.includes("*")));
  const below = texts.filter((text) => text.includes("*")).map(compileWildcard);
  const tests = origins.filter((origin) => typeof origin !== "string").map(compileTest);
  const further = [...below, ...tests];
  return (origin) => exact.has(origin) || (serialized.test(origin) && further.some((allows) => allows(origin)));
}

/** What is wrong with an origin of a policy, and what would be right; undefined when nothing is. */
export function mistakeInOrigin(origin: unknown): string | undefined {
  if (typeof origin === "string") return origin.includes("*") ? mistakeInWildcard(origin) : mistakeInText(origin);
  const { name, allows } = (origin ?? {}) as Partial<OriginTest>;
  if (typeof name === "string" && typeof allows === "function") return undefined;
  return `an origin is a text or { name, allows }, not ${typeName(origin)}`;
}

// As the HTML standard serializes an origin: in lower case, without a default port; several fields or values are none.
const serialized = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/;

function compileWildcard(text: string): AllowsOrigin {
  const [before, after] = text.split("*") as [string, string]; // There is one asterisk.
  return (origin) =>
    origin.length > before.length + after.length &&
    origin.startsWith(before) &&
    origin.endsWith(after) &&
    wholeLabels.test(origin.slice(before.length, -after.length));
}

const wholeLabels = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function compileTest({ name, allows }: OriginTest): AllowsOrigin {
  return (origin) => {
    const allowed: unknown = allows(origin);
    // A promise would pass for a yes, and let everybody in.
    if (typeof allowed === "boolean") return allowed;
    throw new TypeError(`The origin test ${JSON.stringify(name)} gave ${typeName(allowed)}, not a boolean`);
  };
}

function mistakeInText(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  if (text === "null") return '"null" is the origin of every sandboxed page, whoever wrote it, and cannot be allowed';
  const url = URL.parse(text);
  if (url === null || !text.includes("://")) {
    return `${quoted} is not an origin, which is scheme, host and port, such as "https://app.example.com"`;
  }
  // Of schemes that are not the web's own, such as those of browser extensions and of apps, URL tells no origin.
  const origin = url.origin === "null" ? `${url.protocol}//${url.host.toLowerCase()}` : url.origin;
  if (text === origin && serialized.test(text)) return undefined;
  if (!serialized.test(origin)) return `${quoted} has no host, and a page without one has no origin to allow`;
  if (url.username !== "" || url.password !== "") return `${quoted} has a user in it; the origin is "${origin}"`;
  if (url.pathname.length > 1 || url.search !== "" || url.hash !== "" || /[/?#]$/.test(text)) {
    return `${quoted} goes on after host and port, where an origin ends: "${origin}"`;
  }
  return `${quoted} is not as browsers send it, which is "${origin}"`;
}

function mistakeInWildcard(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const [, scheme, domain] = /^([^*]*:\/\/)\*\.([^*]+)$/.exec(text) ?? [];
  if (scheme === undefined || domain === undefined) {
    return `${quoted} has an asterisk that does not stand for whole labels, as in "https://*.example.com"`;
  }
  const mistake = mistakeInText(`${scheme}any.${domain}`);
  if (mistake !== undefined) return mistake.replaceAll("://any.", "://*.");
  if (domain.includes(".") || /^localhost(?::|$)/.test(domain)) return undefined;
  return `${quoted} would allow every site of a top-level domain`;
}
