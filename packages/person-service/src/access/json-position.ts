import { positionAt, type TextPosition } from "waymark";

/**
 * Where a member of a JSON text begins, at its name, or an element of an array. Of a path that leads to nothing, such as that of
 * a missing member, where the innermost value begins that there is.
 *
 * @param text strict JSON: `parseStrictJson` has read it
 */
export function positionOfMember(text: string, path: readonly PropertyKey[]): TextPosition {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
  const found = { index: text.search(/\S/), depth: 0 };
  findMember(tokens, path, 0, found);
  return positionAt(text, found.index);
}

type Tokens = Iterator<RegExpExecArray>;

/** Reads a value, which lies on the path `matched` steps deep, or beside it when that is undefined. */
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
