import { TextMap } from "../../common/text-map.ts";
import { matchesSegment, type PathPattern, type Segment } from "../../path/pattern.ts";

/** Values under a pattern, all of which match whenever one of them does. */
export interface Entries<T> {
  /** Small and unique in the index; it is part of the key of a set of entries. */
  readonly id: number;
  readonly values: readonly T[];
}

/**
 * Finds the patterns that take a path. The cost depends on the length of the path and on how many patterns overlap along
 * it, not on how many there are.
 */
export interface PathIndex<T> {
  /** The entries of every pattern that takes these segments, in no particular order. */
  find(segments: readonly string[]): readonly Entries<T>[];
  /** The entries of every pattern that surely takes all the paths that this one takes, itself among them. */
  findCovering(pattern: PathPattern): readonly Entries<T>[];
  /** The patterns without variables, as canonical paths. */
  readonly fixedPaths: readonly string[];
}

/** Builds an index over values by pattern; values under equal patterns keep their order. */
export function buildPathIndex<T>(values: readonly T[], patternOf: (value: T) => PathPattern): PathIndex<T> {
  const forward = new Node<T>();
  const backward = new Node<T>();
  const fixedPaths = new Set<string>();
  let ids = 0;
  for (const value of values) {
    const { segments } = patternOf(value);
    // "/**/x" is found from its end; its rest then comes last, as in the forward tree.
    const node = startsWithRest(segments) ? insert(backward, segments.toReversed()) : insert(forward, segments);
    const place = segments.some(({ kind }) => kind === "rest") ? "rest" : "here";
    node[place] ??= { id: ids++, values: [] };
    node[place].values.push(value);
    if (segments.every((segment) => segment.kind === "literal")) {
      fixedPaths.add(`/${segments.map((segment) => segment.text).join("/")}`);
    }
  }
  const hasBackward = values.some((value) => startsWithRest(patternOf(value).segments));
  return {
    fixedPaths: [...fixedPaths],
    find(segments) {
      const found: Entries<T>[] = [];
      if (segments.length === 0) return found; // The target "*" is no path.
      collect(forward, segments, 0, found);
      if (hasBackward) collect(backward, segments.toReversed(), 0, found);
      return found;
    },
    findCovering({ segments }) {
      const found: Entries<T>[] = [];
      collectCovering(forward, segments, 0, found);
      // From the end, a rest at the beginning comes last; one at the end comes first, where nothing covers it.
      collectCovering(backward, segments.toReversed(), 0, found);
      return found;
    },
  };
}

const startsWithRest = (segments: readonly Segment[]): boolean => segments[0]?.kind === "rest" && segments.length > 1;

class Node<T> {
  literals: TextMap<Node<T>> | undefined = undefined;
  /** Below a variable or a star. */
  any: Node<T> | undefined = undefined;
  readonly expressions: { readonly segment: ExpressionSegment; readonly node: Node<T> }[] = [];
  /** Of patterns that end here. */
  here: { id: number; values: T[] } | undefined = undefined;
  /** Of patterns that take all that is left. */
  rest: { id: number; values: T[] } | undefined = undefined;
}

type ExpressionSegment = Extract<Segment, { kind: "expression" }>;

function insert<T>(root: Node<T>, segments: readonly Segment[]): Node<T> {
  let node = root;
  for (const segment of segments) {
    if (segment.kind === "rest") break;
    if (segment.kind === "literal") node = literalChild(node, segment.text);
    else if (segment.kind === "expression") node = expressionChild(node, segment);
    else node = node.any ??= new Node();
  }
  return node;
}

function literalChild<T>(parent: Node<T>, text: string): Node<T> {
  parent.literals ??= new TextMap();
  const known = parent.literals.get(text);
  if (known !== undefined) return known;
  const node = new Node<T>();
  parent.literals.add(text, node);
  return node;
}

function expressionChild<T>(parent: Node<T>, segment: ExpressionSegment): Node<T> {
  const known = parent.expressions.find((other) => other.segment.shape === segment.shape);
  if (known !== undefined) return known.node;
  const node = new Node<T>();
  parent.expressions.push({ segment, node });
  return node;
}

function collect<T>(node: Node<T>, segments: readonly string[], i: number, found: Entries<T>[]): void {
  if (node.rest !== undefined) found.push(node.rest);
  const segment = segments[i];
  if (segment === undefined) {
    if (node.here !== undefined) found.push(node.here);
    return;
  }
  const literal = node.literals?.get(segment);
  if (literal !== undefined) collect(literal, segments, i + 1, found);
  if (node.any !== undefined && segment !== "") collect(node.any, segments, i + 1, found);
  for (const other of node.expressions) {
    if (matchesSegment(other.segment, segment)) collect(other.node, segments, i + 1, found);
  }
}

function collectCovering<T>(node: Node<T>, segments: readonly Segment[], i: number, found: Entries<T>[]): void {
  if (node.rest !== undefined) found.push(node.rest);
  const segment = segments[i];
  if (segment === undefined) {
    if (node.here !== undefined) found.push(node.here);
    return;
  }
  if (segment.kind === "rest") return;
  const literal = segment.kind === "literal" ? node.literals?.get(segment.text) : undefined;
  if (literal !== undefined) collectCovering(literal, segments, i + 1, found);
  if (node.any !== undefined && isNeverEmpty(segment)) collectCovering(node.any, segments, i + 1, found);
  for (const other of node.expressions) {
    if (covers(other.segment, segment)) collectCovering(other.node, segments, i + 1, found);
  }
}

/** Returns whether it surely takes no empty text, which neither a variable nor a star takes. */
const isNeverEmpty = (segment: Exclude<Segment, { kind: "rest" }>): boolean =>
  segment.kind === "literal" ? segment.text !== "" : segment.kind !== "expression" || !segment.expression.test("");

/** Returns whether it takes every text that the segment takes. Of two expressions only equal ones are known to. */
const covers = (expression: ExpressionSegment, segment: Exclude<Segment, { kind: "rest" }>): boolean =>
  segment.kind === "literal"
    ? matchesSegment(expression, segment.text)
    : segment.kind === "expression" && expression.shape === segment.shape;
