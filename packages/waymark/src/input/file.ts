import { kindOf } from "../common/declaration.ts";
import { requireOptions } from "../common/known-options.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import type { Schema } from "../description.ts";
import { parseMediaRange } from "../fields/media-type.ts";

/** The options of `file`. */
export interface FileOptions {
  /** How long it may be: bytes, or a text such as `"5MB"`, which is 5,000,000 bytes. */
  readonly most: number | `${number}${"kB" | "MB" | "GB"}`;
  /** Media types and ranges such as `image/*`, one of which the client must say. What the file really is, is not looked at. Default: any. */
  readonly types?: readonly string[];
  /** Whether the form may come without it. Default: false. */
  readonly optional?: boolean;
  /** How many files the field may have; the value is then a list. Default: one, which is no list. */
  readonly count?: number;
}

/** A file in a form; made by `file(…)`. */
export interface FileSchema<T = unknown> extends StandardSchemaV1<unknown, T>, Schema.Standard {
  readonly kind: "file";
  /** In bytes. */
  readonly most: number;
  readonly types: readonly string[];
  /** undefined: one, which is no list. */
  readonly count: number | undefined;
  readonly "~standard": StandardSchemaV1<unknown, T>["~standard"] & Schema.Standard["~standard"];
}

/**
 * Describes a file in a form. Without a place to put it, the handler gets a web `File`, which is in memory.
 *
 * ```ts
 * takes({ form: { title: z.string(), image: file({ most: "5MB", types: ["image/png", "image/jpeg"] }) } })
 * ```
 *
 * @throws TypeError when the bound is not a size, a type is not a media range, or the count is not 1 or more
 */
export function file(options: FileOptions & { readonly count: number }): FileSchema<readonly File[]>;
export function file(options: FileOptions & { readonly optional: true }): FileSchema<File | undefined>;
export function file(options: FileOptions): FileSchema<File>;
export function file(options: FileOptions): FileSchema {
  requireOptions("file({ … })", options, { most: undefined, types: "array", optional: "boolean", count: undefined });
  const { types = [], optional = false, count } = options;
  const most = bytesOf(options.most);
  const wrong = types.find((type) => parseMediaRange(type) === undefined);
  if (wrong !== undefined) throw new TypeError(`file({ types }) takes media types such as image/png, not "${wrong}"`);
  if (count !== undefined && !(Number.isSafeInteger(count) && count > 0))
    throw new TypeError(`file({ count }) is a whole number, 1 or more, not ${count}`);
  const one = { type: "string", format: "binary", ...(types.length === 1 && { contentMediaType: types[0] }) };
  const least = optional ? 0 : 1;
  const keywords = count === undefined ? one : { type: "array", items: one, minItems: least, maxItems: count };
  return {
    kind: "file",
    most,
    types,
    count,
    "~standard": {
      version: 1,
      vendor: "waymark",
      validate: (value) => {
        const isMissing = count === undefined ? value === undefined : (value as readonly unknown[]).length === 0;
        return isMissing && !optional ? { issues: [{ message: "is missing", code: "missing" }] } : { value };
      },
      jsonSchema: { input: () => keywords, output: () => keywords },
    },
  };
}

export const isFile = (schema: unknown): schema is FileSchema => kindOf(schema) === "file";

function bytesOf(size: unknown): number {
  const [, digits, unit = "B"] = /^(\d+(?:\.\d+)?) ?(kB|MB|GB)?$/.exec(String(size)) ?? [];
  if (digits === undefined)
    throw new TypeError(`file({ most }) is a number of bytes or a text such as "5MB", not ${size}`);
  return Math.floor(Number(digits) * ({ B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[unit] ?? 1));
}
