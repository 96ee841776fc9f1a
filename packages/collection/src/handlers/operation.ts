import { type Awaitable, type HttpResponse, problemTypes } from "waymark";
import { checksPath } from "waymark/internal";
import { type Description, docs } from "waymark/openapi";
import { type DescribedCollection, describedAt } from "../description/described-collection.ts";
import { collectionProblemTypes as types } from "../problem-types.ts";
import type { Addressed } from "../record-scope.ts";
import type { CollectionSettings } from "../settings.ts";
import { answeringErrors } from "./answered-errors.ts";

/**
 * Makes a function the handler of an operation: it answers its errors, is refused on a path that it cannot serve, and says in
 * documents what it takes and answers.
 *
 * @param of what the path of its route leads to
 * @param describe returns the parts of its description, beside what is said of every operation
 */
export function operation<R, A extends Awaitable<HttpResponse>>(
  settings: CollectionSettings,
  of: Addressed,
  describe: (place: DescribedCollection) => readonly Description[],
  handler: (request: R) => A,
): typeof handler {
  const described = docs((template) => {
    const place = describedAt(settings, template, of);
    return [ofPath(place, of), ...describe(place), { problems: [types.storeUnavailable] }];
  }, answeringErrors(handler));
  return checksPath((template) => settings.scope.findingIn(template, of), described);
}

/** Describes what the paths of all operations have: their variables, and the refusals of ids and of unknown parameters. */
function ofPath({ path, nouns: { one, many } }: DescribedCollection, of: Addressed): Description {
  const owners = Array.from(path.matchAll(/\{([^}]*)\}/g), ([, owner = ""]) => [owner, ownerIn] as const);
  const id = { description: `The id of the ${one}.`, schema: { type: "integer" }, example: 1 };
  const missing = of === "record" ? `There is no ${one} with this id.` : "The path names an owner that does not exist.";
  const hasIds = of === "record" || owners.length > 0;
  return {
    tags: [many.charAt(0).toUpperCase() + many.slice(1)],
    variables: { ...Object.fromEntries(owners), ...(of === "record" && { id }) },
    ...(hasIds && { responses: { 404: { description: missing } } }),
    problems: [...(hasIds ? [types.invalidId] : []), problemTypes.invalidParameters],
  };
}

const ownerIn = { description: "The id of the owner.", schema: { type: "integer" }, example: 1 };

/** What is said of an operation that changes records. */
export const changesRecords: Description = { problems: [types.storeUnavailable, types.readOnly] };
