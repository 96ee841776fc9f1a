import { HttpError, type HttpRequest, type HttpResponse, problem } from "waymark";
import { eventStream } from "waymark/content";
import { mostOfCaller } from "../feed/followers.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import { Readmission } from "../readmission.ts";
import type { CollectionSettings } from "../settings.ts";
import { callerKey } from "../shares/caller-shares.ts";
import { StoreCursorInvalid } from "../stores/contract/errors.ts";
import type { Store } from "../stores/contract/store.ts";
import { type ChangesQuery, pathOfList } from "./changes-query.ts";
import { readPreferences } from "./preferences.ts";

/**
 * Answers with the changes as an event stream, which goes on with those that come. A client that lost its stream goes on behind the
 * `Last-Event-ID` that it has.
 *
 * @throws HttpError 503 when the caller has as many streams open as it may
 */
export async function streamChanges(
  request: HttpRequest<unknown>,
  store: Store,
  { after, limit, fields }: ChangesQuery,
  settings: CollectionSettings,
): Promise<HttpResponse> {
  readPreferences(request, {});
  const { followers } = settings;
  const lastId = request.header("Last-Event-ID");
  if (lastId === "") throw new StoreCursorInvalid("It is empty");
  const caller = callerKey(request);
  if (followers.isFull(caller)) throw tooMany();
  const events = await followers.begin(
    {
      caller,
      key: JSON.stringify([request.variables, limit, store.view]), // the variables name the owner
      fields,
      read: (cursor) => store.changes(cursor, { caller, ...(limit !== undefined && { limit }) }),
      readmission: new Readmission(settings, request, pathOfList(request)),
      signal: AbortSignal.any([request.signal, request.draining]),
    },
    lastId ?? after,
  );
  return eventStream(request, events).withHeader("Vary", "Accept, Last-Event-ID");
}

const tooMany = (): HttpError => {
  const detail = `This client has ${mostOfCaller} event streams open, or all clients have as many as there may be.`;
  return new HttpError(problem(collectionProblemTypes.listsBusy, { detail }).withHeader("Retry-After", "5"));
};
