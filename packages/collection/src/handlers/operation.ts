import { type Awaitable, HttpError, type HttpResponse, problem, problemTypes } from "waymark";
import { checksPath } from "waymark/internal";
import { type Description, docs } from "waymark/openapi";
import { type DescribedCollection, describedAt } from "../description/described-collection.ts";
import { collectionProblemTypes as types } from "../problem-types.ts";
import type { Addressed } from "../record-scope.ts";
import type { CollectionSettings } from "../settings.ts";
import {
  StoreCursorGone,
  StoreCursorInvalid,
  StoreNotReady,
  StoreOutcomeUnknown,
  StoreReadOnly,
  StoreReadTimeout,
  StoreUnavailable,
} from "../stores/contract/errors.ts";

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

/**
 * Makes a handler answer what it throws: an HttpError by its response, and an error of the store by a problem. It answers without a promise
 * where the handler does.
 */
function answeringErrors<R, A extends Awaitable<HttpResponse>>(handler: (request: R) => A): typeof handler {
  return (request) => {
    try {
      const answer = handler(request);
      return answer instanceof Promise ? (answer.catch(answerTo) as typeof answer) : answer;
    } catch (error) {
      return answerTo(error) as A; // an asynchronous handler throws nothing
    }
  };
}

function answerTo(error: unknown): HttpResponse {
  if (error instanceof HttpError) return error.response;
  if (error instanceof StoreCursorInvalid) {
    const detail =
      "The cursor in after or Last-Event-ID is not one of these changes. Follow the Link of an answer, or begin without it.";
    return problem(types.invalidCursor, { detail });
  }
  if (error instanceof StoreCursorGone) {
    const detail =
      "Changes before the cursor are lost, or the database is another one. Begin again without after and Last-Event-ID, and drop the records that then do not come.";
    return problem(types.cursorGone, { detail });
  }
  if (!(error instanceof StoreUnavailable)) throw error;
  if (error instanceof StoreReadOnly) return refuseChange();
  return problem(types.storeUnavailable, { detail: detailOf(error) }).withHeader("Retry-After", "1");
}

function detailOf(error: StoreUnavailable): string {
  if (error instanceof StoreOutcomeUnknown) {
    return "The store failed during the change, and the outcome is unknown. Read before you send it again.";
  }
  if (error instanceof StoreReadTimeout) {
    return "The query took too long. Filter more narrowly, sort by the filtered member, or leave out count=exact.";
  }
  if (error instanceof StoreNotReady) return error.message;
  return "The store cannot be used at the moment. Nothing was changed.";
}

/**
 * Makes the 503 for a change on an instance that only reads. It is not a 405, because another instance allows the method, and has
 * no Retry-After (RFC 9110 §10.2.3), because nobody knows when this instance will accept changes.
 */
function refuseChange(): HttpResponse {
  return problem(types.readOnly, {
    detail: "This instance answers reads only. Nothing was changed. Send changes to another instance.",
  });
}
