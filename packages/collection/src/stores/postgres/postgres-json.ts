import { createHash } from "node:crypto";

/**
 * The JSON text as PostgreSQL can take members from it, and the text itself where that differs: strings in JSON may have
 * U+0000 and single surrogates, which the database has no text for. In the first of them U+FFFD and four digits stand for each of these.
 */
export function toPostgresJson(json: string): { readonly document: string; readonly exact: string | null } {
  const document = withoutUnreadable(json);
  return { document, exact: document === json ? null : json };
}

/** A text as the database has it, in the same way. */
export function toReadableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (sign) => `\ufffd${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * What a member is told apart by where it is unique, for each of the members; null when the object lacks it. The database
 * makes the same of the document, by `uniqueKeyExpression`.
 *
 * @param json the JSON text of an object
 */
export function uniqueKeys(json: string, members: readonly string[]): readonly (string | null)[] {
  if (members.length === 0) return [];
  const object: Readonly<Record<string, unknown>> = JSON.parse(json);
  return members.map((member) => {
    if (!Object.hasOwn(object, member) || object[member] === null) return null;
    const key = withoutUnreadable(JSON.stringify(object[member]));
    return Buffer.byteLength(key) <= longestKey ? key : createHash("sha256").update(key).digest("hex");
  });
}

/** The key of a member as an SQL expression: its JSON text, so that 1 and "1" differ, or a hash where that is too long. */
export function uniqueKeyExpression(member: string): string {
  const text = `(document -> '${member}')::text`;
  const hash = `encode(sha256(replace(${text}, '\\', '\\\\')::bytea), 'hex')`;
  return `CASE WHEN octet_length(${text}) > ${longestKey} THEN ${hash} ELSE nullif(${text}, 'null') END`;
}

/** In bytes: an entry of an index has at most 2,704. */
const longestKey = 2000;

/** As JSON.stringify writes them; a backslash that is escaped itself is passed over with the sign behind it. */
function withoutUnreadable(json: string): string {
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return json.replace(/\\(?:u0000|ud[89a-f]..|.)/g, (sign) =>
    /^\\u(?:0000|d)/.test(sign) ? `\\ufffd${sign.slice(2)}` : sign,
  );
}
