import { type HttpRequest, pathMatcher } from "waymark";
import type { AccessRule } from "./access-file.ts";

/**
 * The first rule that takes a request, by its method and its canonical path, which is the one that routes are found by.
 *
 * @throws PatternMistake when a path is malformed
 */
export function compileRules(rules: readonly AccessRule[]): (request: HttpRequest) => AccessRule | undefined {
  const compiled = rules.map((rule) => ({ rule, takesPath: pathMatcher(rule.path), takesMethod: methodMatcher(rule) }));
  return ({ method, path }) =>
    compiled.find(({ takesMethod, takesPath }) => takesMethod(method) && takesPath(path))?.rule;
}

function methodMatcher({ methods }: AccessRule): (method: string) => boolean {
  if (methods === undefined) return () => true;
  const taken = new Set(methods);
  // A HEAD that no route is for runs the handler of the GET route.
  if (taken.has("GET")) taken.add("HEAD");
  return (method) => taken.has(method);
}
