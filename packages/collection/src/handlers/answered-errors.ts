import { type Awaitable, HttpError, type HttpResponse, problem } from "waymark";
import { collectionProblemTypes } from "../problem-types.ts";
import {
  StoreCursorGone,
  StoreCursorInvalid,
  StoreOutcomeUnknown,
  StoreReadOnly,
  StoreReadTimeout,
  StoreUnavailable,
} from "../stores/contract/errors.ts";

/**
 * Makes a handler answer what it throws: an HttpError by its response, and an error of the store by a problem. It answers without a promise
 * where the handler does.
 */
export function answeringErrors<R, A extends Awaitable<HttpResponse>>(handler: (request: R) => A): typeof handler {
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
    return problem(collectionProblemTypes.invalidCursor, { detail });
  }
  if (error instanceof StoreCursorGone) {
    const detail =
      "Changes before the cursor are lost, or the database is another one. Begin again without after and Last-Event-ID, and drop the records that then do not come.";
    return problem(collectionProblemTypes.cursorGone, { detail });
  }
  if (!(error instanceof StoreUnavailable)) throw error;
  if (error instanceof StoreReadOnly) return refuseChange();
  return problem(collectionProblemTypes.storeUnavailable, { detail: detailOf(error) }).withHeader("Retry-After", "1");
}

function detailOf(error: StoreUnavailable): string {
  if (error instanceof StoreOutcomeUnknown) {
    return "The store failed during the change, and the outcome is unknown. Read before you send it again.";
  }
  if (error instanceof StoreReadTimeout) {
    return "The query took too long. Filter more narrowly, sort by the filtered member, or leave out count=exact.";
  }
  return "The store cannot be used at the moment. Nothing was changed.";
}

/**
 * Makes the 503 for a change on an instance that only reads. It is not a 405, because another instance allows the method, and has
 * no Retry-After (RFC 9110 §10.2.3), because nobody knows when this instance will accept changes.
 */
function refuseChange(): HttpResponse {
  return problem(collectionProblemTypes.readOnly, {
    detail: "This instance answers reads only. Nothing was changed. Send changes to another instance.",
  });
}
