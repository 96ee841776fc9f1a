import type { ProblemError } from "../common/problem-document.ts";
import { escapeUnprintable } from "../common/wording.ts";

/**
 * A schema of any library that keeps to the Standard Schema interface, version 1: zod, valibot, arktype and others.
 * `Input` is the type of the values it takes, `Output` that of the values it returns.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    /** The library's name. */
    readonly vendor: string;
    /** Returns the value, perhaps converted, or what is wrong with it. */
    readonly validate: (value: unknown) => StandardSchemaV1.Result<Output> | Promise<StandardSchemaV1.Result<Output>>;
    /** Type only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What validation says. */
export declare namespace StandardSchemaV1 {
  /** A validator's answer: the value, perhaps converted; or all that is wrong with it. */
  type Result<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

  /** One thing that is wrong with a value. */
  interface Issue {
    readonly message: string;
    /** The way from the whole value to the part that is wrong; absent or empty for the whole. */
    readonly path?: readonly PathSegment[] | undefined;
    /** The kind of fault, for programs: the message may change, and this does not. */
    readonly code?: string | undefined;
    /** What stood there, where a program that shows the fault in words of its own needs it. */
    readonly found?: unknown;
  }
}

/** A schema by its types: the compiler is done with this sooner than with all of StandardSchemaV1. */
export interface TypedSchema {
  readonly "~standard": { readonly types?: { readonly output: unknown } | undefined };
}

/** The type of the values that a schema returns. */
export type ValueOf<S> = S extends TypedSchema
  ? NonNullable<S["~standard"]["types"]>["output"]
  : S extends StandardSchemaV1<unknown, infer T>
    ? T
    : never;

/** A member's name or an element's index, perhaps wrapped. */
export type PathSegment = PropertyKey | { readonly key: PropertyKey };

/**
 * Returns the path as a JSON Pointer in its URI fragment form (RFC 6901 §6): `#/address/postalCode`, `#` for the whole value.
 *
 * ```ts
 * toPointer(["a/b", 0, "50%"]);   // "#/a~1b/0/50%25"
 * ```
 */
export function toPointer(path: readonly PathSegment[] = []): string {
  return `#${path.map((segment) => `/${pointerToken(keyOf(segment))}`).join("")}`;
}

/**
 * Returns what an error in a list of `errors` says for programs, bounded: a code is a name of at most 64 characters, `invalid` where the
 * schema has none, and what was found is a truth value, a number, or the first 100 characters of a text.
 */
export function saidForPrograms({ code, found }: StandardSchemaV1.Issue): Pick<ProblemError, "code" | "found"> {
  const known = typeof found === "string" ? shortenedTo(found, longestFound) : found;
  const isScalar = ["string", "number", "boolean"].includes(typeof known);
  return {
    code: typeof code === "string" && /^[\w.-]{1,64}$/.test(code) ? code : "invalid",
    ...(isScalar && { found: known as string | number | boolean }), // as was asked
  };
}

const shortenedTo = (text: string, most: number): string =>
  escapeUnprintable(text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`);

/** In characters. */
const longestFound = 100;

/** Returns the pointer, or one to the whole value if it is longer than 200 characters: part of a pointer would mislead. */
export function toShortPointer(path?: readonly PathSegment[]): string {
  const pointer = toPointer(path);
  return pointer.length <= longestPointer ? pointer : toPointer();
}

const longestPointer = 200;

const keyOf = (segment: PathSegment): PropertyKey => (typeof segment === "object" ? segment.key : segment);

/**
 * Returns a name or an index as a part of such a pointer. A lone surrogate has no UTF-8 to escape: it becomes U+FFFD, so that an odd
 * path from a schema causes no fault.
 */
export function pointerToken(key: PropertyKey): string {
  return encodeURIComponent(String(key).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}
