import { stripTypeScriptTypes } from "node:module";

/** One token of a source put in the place of another. */
export interface Mutation {
  /** Where the token begins, in characters. */
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns every mutation of a source in TypeScript, in the order of its text: none in types, comments, texts or imports, and none that
 * is no program.
 */
export function mutationsOf(source: string): readonly Mutation[] {
  const code = codeOf(source);
  const found = Array.from(code.matchAll(token), ({ 0: before, index: at }) => ({
    at,
    before,
    after: mutated(before),
  }));
  // `??` does not stand beside `||` and `&&` without parentheses.
  return found.filter(
    ({ before, at }) => !"??||&&".includes(before) || isProgram(mutate(source, { at, before, after: mutated(before) })),
  );
}

/** Returns the source with a mutation. */
export const mutate = (source: string, { at, before, after }: Mutation): string =>
  source.slice(0, at) + after + source.slice(at + before.length);

/** What is mutated, each between characters of which it is not a part. */
const token =
  /(?<![=!<>])(?:===|!==)|(?<=\s)(?:<=|>=|<|>|&&|\|\||\?\?|\+|-|\*|%)(?=\s)|(?<![\w$.])(?:true|false)(?![\w$])|(?<![\w$.])(?:0|[1-9]\d*)(?![\w$.])|(?<=\(|\s)!(?=[\w$(])/g;

const counterparts: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "%": "*",
  true: "false",
  false: "true",
  "!": "",
};

const mutated = (text: string): string => counterparts[text] ?? String(Number(text) + 1);

/**
 * Returns the source with blanks in the place of what does not run, and of texts and imports: each character that is left stands where
 * it stood.
 */
function codeOf(source: string): string {
  const blank = (text: string): string => text.replace(/[^\n]/g, " ");
  return stripTypeScriptTypes(source)
    .replace(/^import\b[\s\S]*?;$/gm, blank)
    .replace(inert, (text) => blank(text));
}

function isProgram(source: string): boolean {
  try {
    stripTypeScriptTypes(source);
    return true;
  } catch {
    return false;
  }
}

/** A comment, a text, a template with what is put into it, or a regular expression. */
const inert =
  /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|(?<=[=(,:?!&|]\s?|return )\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/g;
