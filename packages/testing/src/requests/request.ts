import type { Parts } from "./parts.ts";

/** What an answer must be, beyond what its operation declares. */
export interface Expectation {
  /** The statuses; those of guards are always right where they are declared. Default: any that is declared. */
  readonly statuses?: readonly number[];
  /** The parameter or the place in the content that a 400 must name. */
  readonly error?: { readonly in: string; readonly parameter: string } | { readonly pointer: string };
  /** The type of a success with content. */
  readonly mediaType?: string;
  /** Whether it must not be refused for what `takes(…)` says of it. */
  readonly isAllowed?: boolean;
  /** The methods that Allow must name. */
  readonly allow?: readonly string[];
  /** Whether it is refused before it reaches the operation, for its path or its method. */
  readonly isOfRouter?: boolean;
  /** Whether a guard must refuse it before its content is read, or must not. */
  readonly guard?: "refuses" | "open";
}

/** A request that was made of declarations. */
export interface ContractRequest {
  /** What is special about it: `a valid request`, `the query parameter "page" is missing`. */
  readonly kind: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What it was made of. */
  readonly parts?: Parts;
  readonly expects: Expectation;
}

/** Returns the command by which anybody sends the request again. */
export function toCurl({ method, target, headers, body }: ContractRequest, base: string): string {
  const fields = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  // Without it curl names a type of its own where there is content.
  const noType = body !== undefined && !("Content-Type" in headers) ? " -H 'Content-Type:'" : "";
  const isFiller = body !== undefined && body.length > 1000 && body.trim() === "";
  const filler = isFiller ? `head -c ${body.length} /dev/zero | tr '\\0' ' ' | ` : "";
  const data = body === undefined ? "" : ` --data-binary ${isFiller ? "@-" : quoted(body)}`;
  const methodOption = method === "HEAD" ? " -I" : method === "GET" ? " -i" : ` -i -X ${method}`;
  return `${filler}curl${methodOption} ${quoted(base + target)}${fields.join("")}${noType}${data}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
