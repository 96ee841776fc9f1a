import { matchPattern, mistakeInRests, pathSegments } from "./path-pattern.ts";
import { PatternMistake, parsePattern } from "./path-template.ts";

/**
 * A path template as a question about canonical paths, for guards: it takes what a route of this template would, and so what
 * `request.path` says, never the target as it was sent.
 *
 * ```ts
 * const isPerson = pathMatcher("/person/{id}");
 * isPerson(request.path);
 * ```
 *
 * @throws PatternMistake when the template is empty or malformed; the message names it
 */
export function pathMatcher(template: string): (path: string) => boolean {
  if (template === "") throw new PatternMistake("The path is empty; that of the root is /");
  const pattern = parsePattern(template);
  const mistake = mistakeInRests(pattern);
  if (mistake !== undefined) throw new PatternMistake(mistake);
  return (path) => matchPattern(pattern, pathSegments(path)) !== undefined;
}
