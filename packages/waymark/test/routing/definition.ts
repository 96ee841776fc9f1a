import type { ConditionData } from "../../src/condition.ts";
import { chooseAcceptable, hasMalformedRange } from "../../src/fields/accept.ts";
import { matchesMediaType, parseMediaRange, parseMediaType } from "../../src/fields/media-type.ts";
import type { HttpRequest } from "../../src/request.ts";
import type { Group, RouteData, SingleRoute } from "../../src/route.ts";

// What routing means, as directly as it can be said: every route is tried in order, every way through its conditions is
// tried in order, and nothing is prepared. The compiled router is held to this by a property test.

export type Outcome =
  | {
      readonly route: SingleRoute;
      readonly groups: readonly Group[];
      readonly variables: object;
      readonly type: string | undefined;
    }
  | { readonly status: 204 | 404 | 405 | 406 | 415 };

const order = ["path", "method", "contentType", "accept", "other"] as const;
type Stage = (typeof order)[number];

/** What becomes of the request. */
export function interpret(routes: readonly RouteData[], request: HttpRequest): Outcome {
  const all = routes.flatMap((route) => flatten(route, []));
  // HEAD: first what names it, then as GET, then what takes every method.
  const readings: readonly Reading[] =
    request.method === "HEAD"
      ? [{ method: "HEAD", named: true }, { method: "GET" }, { method: "HEAD", named: false }]
      : [{ method: request.method }];
  const reached = (upTo: Stage): Outcome | undefined => {
    for (const { method, named } of readings) {
      for (const { route, groups } of all) {
        for (const { variables, type, namesMethod } of ways(route, groups, { request, method, upTo })) {
          if (named === undefined || named === namesMethod || upTo === "path")
            return { route, groups, variables, type };
        }
      }
    }
    return undefined;
  };
  if (!reached("path")) return { status: 404 };
  if (!reached("method")) return { status: request.method === "OPTIONS" ? 204 : 405 };
  if (!reached("contentType")) return { status: 415 };
  if (!reached("accept")) {
    // Members that nobody can read may have meant what there is: then the field is as if it were not there.
    return hasMalformedRange(request.header("Accept"))
      ? interpret(routes, request.withoutHeader("Accept"))
      : { status: 406 };
  }
  return reached("other") ?? { status: 404 };
}

/** A method that a request is taken to have; of the routes only those that name a method, only the others, or all. */
interface Reading {
  readonly method: string;
  readonly named?: boolean;
}

/** Whether some route has the path and the method. */
export function isAllowed(routes: readonly RouteData[], request: HttpRequest, method: string): boolean {
  const all = routes.flatMap((route) => flatten(route, []));
  return all.some(({ route, groups }) => ways(route, groups, { request, method, upTo: "method" }).some(() => true));
}

function flatten(
  node: RouteData,
  groups: readonly Group[],
): readonly { route: SingleRoute; groups: readonly Group[] }[] {
  switch (node.kind) {
    case "route":
      return [{ route: node, groups }];
    case "group":
      return node.routes.flatMap((member) => flatten(member, [...groups, node]));
  }
}

/** The request, the method it is taken as, and the last stage that counts: what belongs to later ones is let pass. */
interface Question {
  readonly request: HttpRequest;
  readonly method: string;
  readonly upTo: Stage;
}

interface Way {
  /** The template of the groups passed. */
  readonly prefix: string;
  /** The template that this group or route has named. */
  readonly named: string | undefined;
  readonly variables: object;
  readonly type: string | undefined;
  readonly namesMethod: boolean;
}

function* ways(route: SingleRoute, groups: readonly Group[], question: Question): Generator<Way> {
  let sofar: readonly Way[] = [{ prefix: "", named: undefined, variables: {}, type: undefined, namesMethod: false }];
  for (const group of groups) {
    sofar = sofar
      .flatMap((way) => [...satisfyAll(group.conditions, way, question, true)])
      .map((way) => ({ ...way, prefix: way.named ?? way.prefix, named: undefined }));
  }
  const namesPath = route.conditions.some((condition) => kinds(condition).includes("path"));
  for (const way of sofar) {
    for (const end of satisfyAll(route.conditions, way, question, false)) {
      const variables = end.named === undefined ? match(end.prefix, question.request.path, namesPath) : {};
      if (variables) yield { ...end, variables: { ...end.variables, ...variables } };
    }
  }
}

function* satisfyAll(
  conditions: readonly ConditionData[],
  way: Way,
  question: Question,
  inGroup: boolean,
): Generator<Way> {
  const [first, ...rest] = conditions;
  if (first === undefined) return yield way;
  for (const next of satisfy(first, way, question, inGroup)) yield* satisfyAll(rest, next, question, inGroup);
}

function* satisfy(condition: ConditionData, way: Way, question: Question, inGroup: boolean): Generator<Way> {
  const { request, method, upTo } = question;
  if (condition.kind === "and") return yield* satisfyAll(condition.conditions, way, question, inGroup);
  if (condition.kind === "or") {
    for (const member of condition.conditions) yield* satisfy(member, way, question, inGroup);
    return;
  }
  if (order.indexOf(stageOf(condition)) > order.indexOf(upTo)) return yield way;
  if (condition.kind === "not") {
    if (!satisfy(condition.condition, way, { ...question, upTo: "other" }, inGroup).some(() => true)) yield way;
    return;
  }
  const said = condition as unknown as Said; // its kind says which members it has
  switch (said.kind.name) {
    case "path": {
      const named = way.prefix + said.pattern;
      const variables = match(named, request.path, inGroup);
      if (variables) yield { ...way, named, variables: { ...way.variables, ...variables } };
      return;
    }
    case "method":
      if (said.methods.includes(method)) yield { ...way, namesMethod: true };
      return;
    case "contentType": {
      const type = parseMediaType(request.header("Content-Type") ?? "");
      if (type && said.mediaTypes.some((range) => matchesMediaType(parseMediaRange(range)!, type))) yield way;
      return;
    }
    case "accept": {
      const chosen = chooseAcceptable(
        request.header("Accept"),
        said.mediaTypes.map((type) => parseMediaType(type)!),
      );
      if (chosen >= 0) yield { ...way, type: said.mediaTypes[chosen] };
      return;
    }
    case "header":
      if (says(said.value, request.headers.getAll(said.name))) yield way;
      return;
    case "query":
      if (says(said.value, request.query.getAll(said.name))) yield way;
      return;
    case "host":
      if (said.names.some((name) => isHost(name, request.header("Host") ?? ""))) yield way;
      return;
    case "when":
      if (said.matches(request)) yield way;
      return;
    default:
      throw new Error(`The definition does not know ${said.kind.name}(…)`);
  }
}

/** What conditions of the kinds say, all in one: the kind says which of it a condition has. */
interface Said {
  readonly kind: { readonly name: string };
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly mediaTypes: readonly string[];
  readonly name: string;
  readonly value: string | RegExp | undefined;
  readonly names: readonly string[];
  readonly matches: (request: HttpRequest) => boolean;
}

/** Whether the host is the one that is named; a star stands for what is before the first dot of `*.a`. */
const isHost = (name: string, host: string): boolean =>
  name.startsWith("*.") ? host.endsWith(name.slice(1)) && host.length >= name.length : host === name;

const says = (wanted: string | RegExp | undefined, found: readonly string[]): boolean =>
  found.some((value) => wanted === undefined || (typeof wanted === "string" ? value === wanted : wanted.test(value)));

/** A `not` counts as what all that is in it is about, where that is the path or the method. */
function stageOf(condition: ConditionData): Stage {
  const [only = "other", ...more] = new Set(
    kinds(condition).map((kind) => order.find((stage) => stage === kind) ?? "other"),
  );
  if (more.length > 0) return "other";
  return condition.kind !== "not" || only === "path" || only === "method" ? only : "other";
}

function kinds(condition: ConditionData): readonly string[] {
  if (condition.kind === "not") return kinds(condition.condition);
  return condition.kind === "and" || condition.kind === "or"
    ? condition.conditions.flatMap(kinds)
    : [condition.kind.name];
}

/** Stands for a slash that is data while paths are matched as text. */
const slash = "\uE000";

/** A template as one regular expression over the whole path; good for the templates of the property test. */
function match(template: string, path: string, below: boolean): object | undefined {
  const source = template.replaceAll(
    /\/\{\*(\w+)\}|\/\*\*|\{(\w+):([^}]*)\}|\{(\w+)\}|\*|\?/g,
    (found, rest, name, expression, plain, at) => {
      if (rest !== undefined) return `(?<${rest}>(?:/[^/]*)*)`;
      if (found === "/**") return "(?:/[^/]*)*";
      if (name !== undefined) return `(?<${name}>${expression})`;
      if (plain !== undefined) return `(?<${plain}>[^/]+)`;
      if (found === "?") return "[^/]";
      return /^\/\*(?:\/|$)/.test(template.slice(at - 1)) ? "[^/]+" : "[^/]*";
    },
  );
  const found = new RegExp(`^${template === "" && !below ? "/" : source}${below ? "(?:/.*)?" : ""}$`, "u").exec(
    path.replaceAll("%2F", slash),
  );
  if (found === null) return undefined;
  const decode = (text: string): string => text.replaceAll(slash, "/");
  return Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, value]) => [
      name,
      template.includes(`{*${name}}`) ? value.split("/").slice(1).map(decode) : decode(value),
    ]),
  );
}
