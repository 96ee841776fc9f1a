import { isPromise } from "../common/and-then.ts";
import { DeclarationSite } from "../common/declaration.ts";
import { quote, typeName } from "../common/wording.ts";
import { isToken } from "../fields/syntax.ts";
import type { NoVariables } from "../path/pattern.ts";
import type { HttpRequest } from "../request.ts";
import { type Condition, conditionKind, declareAt } from "./kind.ts";

interface Test {
  readonly name: string;
  readonly matches: (request: HttpRequest) => boolean;
  readonly reads: readonly string[];
}

const whenKind = conditionKind<Test>({
  name: "when",
  stage: "other",
  findInvalid: ({ reads }) => {
    const wrong = reads.find((name) => !isToken(name));
    return wrong === undefined ? undefined : `"${wrong}", which the test consults, is not a header field name`;
  },
  compile:
    ({ name, matches }) =>
    (request) => {
      const met: unknown = matches(request);
      // A promise would be true of every request.
      if (isPromise(met))
        throw new TypeError(`when(${quote(name)}, …) must not be asynchronous: its function returned a promise`);
      return Boolean(met);
    },
  consults: ({ reads }) => reads,
  describe: ({ name }) => name,
  find: () => "a request for which it does not hold",
  // That two functions say the same is not known.
  implies: () => false,
  parameter: () => undefined,
});

/**
 * Matches if the function returns true. Tables and explanations show the name. The function must be pure, and sees the
 * request before its path variables are bound.
 *
 * ```ts
 * when("the client is a beta user", (request) => request.cookies.has("beta"), { consults: ["Cookie"] })
 * ```
 *
 * @throws TypeError when `matches` is not a function
 */
export function when(
  name: string,
  matches: (request: HttpRequest) => boolean,
  { consults = [] }: { readonly consults?: readonly string[] } = {},
): Condition<NoVariables> {
  if (typeof matches !== "function") {
    throw new TypeError(`when(…) takes a name and a function, not ${typeName(matches)}`);
  }
  return declareAt(whenKind, { name, matches, reads: consults }, new DeclarationSite(when));
}
