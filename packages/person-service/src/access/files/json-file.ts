import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { ContentError, decodeUtf8, parseStrictJson } from "waymark/content";
import { wording } from "waymark/internal";
import type * as z from "zod";
import { fileFault } from "../../file-fault.ts";
import { jsonType } from "../../person/members/value-schemas.ts";

/** Thrown when a file cannot be used: the message names the file, and each finding with its place. */
export class FileError extends Error {
  /** What is wrong and what would be right, a sentence each without the full stop: `line 3, column 5: rules[0].path …` */
  readonly findings: readonly string[];

  constructor(file: string, findings: readonly [string, ...string[]]) {
    const [first, ...further] = findings;
    const listed = further.length === 0 ? ` ${first}` : findings.map((finding) => `\n- ${finding}`).join("");
    super(`The file ${wording.quote(file)} cannot be used:${listed}`);
    this.name = "FileError";
    this.findings = findings;
  }
}

/**
 * Reads a JSON file by a schema. Messages repeat no value of the file: it may be a secret.
 *
 * @throws FileError when the file cannot be read, is not strict JSON, or breaks the rules of the schema
 */
export async function readJsonFile<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readText(file);
  const result = schema.safeParse(parseJsonFile(file, text), { error: describeIssue });
  if (result.success) return result.data;
  const findings = faultsOf(result.error).map(({ path, message }) => {
    const place = describePosition(positionOfMember(text, path));
    return path.length === 0 ? `${place}: the file ${message}` : `${place}: ${nameOf(path)} ${message}`;
  });
  throw new FileError(file, findings as [string, ...string[]]); // zod fails for a reason
}

async function readText(file: string): Promise<string> {
  try {
    return toText(await readFile(file));
  } catch (error) {
    throw toFileError(file, error);
  }
}

/**
 * Reads a text file while nothing is served yet.
 *
 * @throws FileError when it cannot be read, or is not UTF-8
 */
export function readTextSync(file: string): string {
  try {
    return toText(readFileSync(file));
  } catch (error) {
    throw toFileError(file, error);
  }
}

/** Decodes UTF-8, without the byte order mark that some editors and shells of Windows put before it. */
export const toText = (content: Uint8Array): string => decodeUtf8(content).replace(/^\ufeff/, "");

/** Makes a FileError of what reading a file, or `toText`, has thrown. */
function toFileError(file: string, error: unknown): FileError {
  if (error instanceof ContentError) return new FileError(file, [error.message]);
  return new FileError(file, [fileFault(error) ?? String(error)]);
}

/**
 * Parses the text of a JSON file. Messages repeat no value of it, such as a key that stands where the file of keys should.
 *
 * @throws FileError when it is not strict JSON
 */
export function parseJsonFile(file: string, text: string): unknown {
  try {
    return parseStrictJson(text, { maxValues: Number.POSITIVE_INFINITY }); // it is the operator's
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const { detail, line = 1, column = 1 } = error;
    const withoutWord = detail.replace(/(?<=, but found )[\w$]+…?$/, "a word without quotation marks");
    throw new FileError(file, [`${describePosition({ line, column })}: ${withoutWord}`]);
  }
}

/** Returns all that is wrong with a value of a file or of the settings, each as the predicate of what the path leads to. */
export function faultsOf(error: z.ZodError): readonly { path: readonly PropertyKey[]; message: string }[] {
  return error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: "is not a member that there is" }))
      : [{ path: issue.path, message: issue.message }],
  );
}

/** `line 3, column 5` */
type TextPosition = ReturnType<typeof wording.positionAt>;

const describePosition = ({ line, column }: TextPosition): string => `line ${line}, column ${column}`;

/** `rules[0].path` */
export function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

/** Returns an issue for each element of a list that has the name of an earlier one. */
export const namesakes = (list: string, elements: readonly { readonly name: string }[]): z.core.$ZodRawIssue[] =>
  elements.flatMap(({ name }, i) =>
    elements.findIndex((other) => other.name === name) === i
      ? []
      : [{ code: "custom", input: elements, path: [list, i, "name"], message: `is the name of two ${list}` }],
  );

/** Describes the issues for which a schema has no message of its own. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "too_small") return "must not be empty";
  if (issue.code === "invalid_value") return `must be ${issue.values.join(" or ")}`;
  if (issue.code !== "invalid_type") return undefined;
  if (issue.input === undefined) return "is missing";
  const article = /^[aeiou]/.test(issue.expected) ? "an" : "a";
  return `must be ${article} ${issue.expected}, not ${jsonType(issue.input)}`;
}

/**
 * Returns where a member of a JSON text begins, at its name, or an element of an array. For a path that leads to nothing,
 * such as that of a missing member, it is the start of the innermost value on the path.
 *
 * @param text strict JSON: `parseStrictJson` has read it
 */
export function positionOfMember(text: string, path: readonly PropertyKey[]): TextPosition {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
  const found = { index: text.search(/\S/), depth: 0 };
  findMember(tokens, path, 0, found);
  return wording.positionAt(text, found.index);
}

type Tokens = Iterator<RegExpExecArray>;

/** Reads a value that lies `matched` steps deep on the path, or beside the path where that is undefined. */
function findMember(
  tokens: Tokens,
  path: readonly PropertyKey[],
  matched: number | undefined,
  found: { index: number; depth: number },
  first: RegExpExecArray = nextToken(tokens),
): void {
  const closing = first[0] === "{" ? "}" : "]";
  if (first[0] !== "{" && first[0] !== "[") return;
  for (let element = 0; ; element++) {
    let token = nextToken(tokens);
    if (token[0] === closing) return;
    if (token[0] === ",") token = nextToken(tokens);
    const key: PropertyKey = closing === "}" ? JSON.parse(token[0]) : element;
    const next = matched !== undefined && path[matched] === key ? matched + 1 : undefined;
    if (next !== undefined && next > found.depth) Object.assign(found, { index: token.index, depth: next });
    if (closing === "}") {
      nextToken(tokens); // the colon
      token = nextToken(tokens);
    }
    findMember(tokens, path, next, found, token);
  }
}

function nextToken(tokens: Tokens): RegExpExecArray {
  return tokens.next().value; // JSON that has been read whole does not end within a value
}
