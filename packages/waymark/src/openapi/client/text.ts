// The text of a client, as formatters of TypeScript leave it: two spaces, double quotes, lines of 120 characters.

export const width = 120;

/** The alternatives of a type: a union where there are several. */
export type Alternatives = readonly string[];

export const union = (alternatives: Alternatives): string => amongOthers(alternatives).join(" | ");

/** Returns the alternatives as they stand in a union: an intersection is in parentheses, unless it is the only one. */
const amongOthers = (alternatives: Alternatives): Alternatives =>
  alternatives.length === 1 ? alternatives : alternatives.map((each) => (isIntersection(each) ? `(${each})` : each));

/** Returns whether a type is an intersection, which is one of names. */
export const isIntersection = (type: string): boolean => areNames(type) && type.includes(" & ");

/** Returns whether a type is a name, or an intersection of names. */
export const areNames = (type: string): boolean => /^[\w$]+(?: & [\w$]+)*$/.test(type);

/** Returns the alternatives of all, each once; what may be anything is unknown. */
export function unite(all: readonly Alternatives[]): Alternatives {
  const found = new Set(all.flat());
  if (found.has("unknown")) return ["unknown"];
  if (found.size > 1) found.delete("never");
  return [...found];
}

/** Writes `before: A | B;`, on a line for each alternative where one is too short. */
export function typed(before: string, alternatives: Alternatives): string {
  const flat = `${before} ${union(alternatives)};`;
  if (flat.length <= width) return flat;
  const indent = " ".repeat(2 + before.search(/\S/));
  if (alternatives.length > 1) {
    return `${before}\n${amongOthers(alternatives)
      .map((each) => `${indent}| ${each}`)
      .join("\n")};`;
  }
  const [only = ""] = alternatives;
  if (isIntersection(only)) return flat.replaceAll(" & ", ` &\n${indent}`);
  return before.endsWith("=") ? `${before}\n${indent}${only};` : flat;
}

/** Writes a tuple, with a line for each item where one is too short. */
export function tuple(before: string, items: readonly string[]): string {
  const flat = `${before} readonly [${items.join(", ")}];`;
  return flat.length <= width ? flat : `${before} readonly [\n${inLines(items)}];`;
}

/** Writes a member of an interface. */
export function member(name: string, isRequired: boolean, alternatives: Alternatives, indent = "  "): string {
  return typed(`${indent}readonly ${propertyName(name)}${isRequired ? "" : "?"}:`, alternatives);
}

/** Writes an interface; it has one line at least. */
export function declareInterface(
  name: string,
  lines: readonly string[],
  { typeParameters = [], base }: { readonly typeParameters?: readonly string[]; readonly base?: string } = {},
): string {
  const head = `export interface ${name}${generic(typeParameters)}`;
  const end = `${base === undefined ? "" : ` extends ${base}`} {\n${lines.join("\n")}\n}`;
  if (head.length + end.indexOf("\n") <= width) return head + end;
  return head.length <= width ? `${head}\n ${end}` : `export interface ${name}${generic(typeParameters, true)}${end}`;
}

function generic(parameters: readonly string[], areInLines = false): string {
  if (parameters.length === 0) return "";
  return areInLines ? `<\n${inLines(parameters)}>` : `<${parameters.join(", ")}>`;
}

const inLines = (parts: readonly string[]): string => parts.map((each) => `  ${each},\n`).join("");

/** Writes a doc comment, and the end of its line; nothing where there is no text. */
export function comment(text: string | undefined, indent = ""): string {
  const paragraphs = (text ?? "")
    .replaceAll("*/", "*\\/")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split(/\s+/).filter((word) => word !== ""))
    .filter((words) => words.length > 0);
  if (paragraphs.length === 0) return "";
  const single = `${indent}/** ${paragraphs[0]?.join(" ")} */\n`;
  if (paragraphs.length === 1 && single.length <= width + 1) return single;
  const lines = paragraphs.flatMap((words, i) => [...(i === 0 ? [] : [""]), ...wrap(words, width - indent.length - 3)]);
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join("")}${indent} */\n`;
}

function wrap(words: readonly string[], length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > length) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Writes a text as a literal, in the quotes that need fewer escapes. */
export function literal(value: string): string {
  const quoted = JSON.stringify(value);
  const [double, single] = ['"', "'"].map((quote) => value.split(quote).length) as [number, number]; // of two
  if (double <= single) return quoted;
  return `'${quoted.slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

export const propertyName = (name: string): string => (isIdentifier(name) ? name : literal(name));

/** Writes how a member of a value is read. */
export const access = (name: string): string => (isIdentifier(name) ? `.${name}` : `[${literal(name)}]`);

const isIdentifier = (name: string): boolean => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name);

/** Writes a list of numbers, filled into lines where one is too short. */
export function numbers(before: string, all: readonly number[]): string {
  const flat = `${before} [${all.join(", ")}],`;
  if (flat.length <= width) return flat;
  const indent = " ".repeat(before.search(/\S/));
  const lines = wrap(
    all.map((each) => `${each},`),
    width - indent.length - 2,
  );
  return `${before} [\n${lines.map((line) => `${indent}  ${line}\n`).join("")}${indent}],`;
}

/** Writes the head of a function, up to its body; one that returns a promise throws nothing. */
export function functionHead(
  name: string,
  typeParameters: readonly string[],
  parameters: readonly string[],
  result: string,
): string {
  const start = `export ${result.startsWith("Promise<") ? "async " : ""}function ${name}`;
  const head = start + generic(typeParameters);
  const areInLines = head.length >= width;
  const before = areInLines ? start + generic(typeParameters, true) : head;
  const end = `(${parameters.join(", ")}): ${result} {`;
  const isShort = (areInLines ? 1 : before.length) + end.length <= width;
  return before + (isShort ? end : `(\n${inLines(parameters)}): ${result} {`);
}
