import type { Filter } from "./filter.ts";
import { type DeclaredInputs, type TakesData, withInput } from "./input/taken.ts";
import type { HttpRequest } from "./request.ts";

/** Makes the filter that reads what is taken for all routes of a group. */
export function takingFilter(taken: TakesData): Filter {
  const withInputs = taken.handling.compile(taken);
  return {
    kind: "filter",
    apply: (request: HttpRequest, next) => withInputs(request, (input) => next(withInput(request, input))),
    taken,
    isForRoutes: true,
    site: taken.site,
  };
}

/** Returns the inputs that the filters of these groups have read when a handler inside is reached. */
export function readByGroups(groups: readonly { readonly filters: readonly Filter[] }[]): readonly DeclaredInputs[] {
  return groups.flatMap(({ filters }) =>
    filters.flatMap(({ isForRoutes, taken }) => (isForRoutes === true ? (taken?.declared ?? []) : [])),
  );
}
