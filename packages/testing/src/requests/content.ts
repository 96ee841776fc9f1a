import { textForm } from "waymark/internal";
import type { Schema, Schemas } from "../schemas.ts";
import { resolve } from "./values.ts";

/** A format in which the values of a schema are sent. */
export interface ContentFormat {
  /** Its Content-Type in a request. */
  readonly type: string;
  /** Returns the content of a value; undefined where the format cannot say it. */
  write(value: unknown): string | undefined;
  /** Whether the content of a value, as a server reads it, breaks the schema. */
  breaks(value: unknown): boolean;
}

/** Returns the format of a media type; undefined where only an example can be sent. */
export function formatOf(type: string, given: unknown, document: object, schemas: Schemas): ContentFormat | undefined {
  const essence = essenceOf(type);
  const schema = typeof given === "object" && given !== null ? resolve(given as Schema, document) : {}; // as schemas are
  if (isJson(essence)) {
    return { type, write: (value) => JSON.stringify(value), breaks: (value) => !schemas.allows(given, value) };
  }
  const write = { "application/x-www-form-urlencoded": toUrlEncoded, "multipart/form-data": toMultipart }[essence];
  if (write === undefined) return undefined;
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>; // as JSON Schema has it
  return {
    type: write === toMultipart ? `${type}; boundary=${boundary}` : type,
    write(value) {
      const fields = fieldsOf(value);
      return fields && write(fields, properties);
    },
    breaks(value) {
      // Of a form a server has texts: "7" is no fault where a text is due, and a list of one is like its element.
      const texts = Map.groupBy(fieldsOf(value) ?? [], ([name]) => name);
      const read = [...texts].map(([name, fields]) => {
        const { isList, convert } = textForm(resolve(properties[name] ?? {}, document));
        const values = fields.map(([, text]) => convert(text));
        return [name, isList ? values : values.length === 1 ? values[0] : values];
      });
      return !schemas.allows(given, Object.fromEntries(read));
    },
  };
}

/** Returns a media type without its parameters. */
export const essenceOf = (type: string): string => type.toLowerCase().replace(/\s*;.*$/s, "");

/** Whether content of a type without parameters is JSON. */
export const isJson = (essence: string): boolean => /[/+]json$/.test(essence);

type Fields = readonly (readonly [name: string, text: string])[];

/** Returns the fields of a form; undefined for what has an object in an object. */
function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields = Object.entries(value).flatMap(([name, member]) =>
    [member].flat().map((each) => [name, each] as const),
  );
  if (fields.some(([, each]) => typeof each === "object")) return undefined;
  return fields.map(([name, each]) => [name, String(each)]);
}

const toUrlEncoded = (fields: Fields): string => new URLSearchParams(fields.map((field) => [...field])).toString();

const boundary = "----waymark-contract";

/** Writes a form with files (RFC 7578): a member of binary content is one. */
function toMultipart(fields: Fields, properties: Readonly<Record<string, Schema>>): string {
  const parts = fields.map(([name, text]) => {
    const { format, contentMediaType = "application/octet-stream" } = properties[name] ?? {};
    const isFile = format === "binary" || "contentMediaType" in (properties[name] ?? {});
    const file = isFile ? `; filename="${name}"\r\nContent-Type: ${contentMediaType}` : "";
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', "%22")}"${file}\r\n\r\n${text}\r\n`;
  });
  return `${parts.join("")}--${boundary}--\r\n`;
}
