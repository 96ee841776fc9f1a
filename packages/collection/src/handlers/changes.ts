import { HttpError, type HttpRequest, HttpResponse, problem, problemTypes } from "waymark";
import { eventStream } from "waymark/content";
import { HeaderList, parsePrefer } from "waymark/fields";
import { overload, publicUrl } from "waymark/filters";
import type { Description, Schema } from "waymark/openapi";
import { problemsOfReaders } from "../description/conditions.ts";
import type { DescribedCollection } from "../description/described-collection.ts";
import { mostOfCaller } from "../feed/followers.ts";
import { toSent } from "../feed/shared-changes.ts";
import { Readmission } from "../layers/readmission.ts";
import { withoutPlace } from "../lists/parameters.ts";
import { collectionProblemTypes as types } from "../problem-types.ts";
import { collectionUrl } from "../record-scope.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import { callerKey } from "../shares/caller-shares.ts";
import { TurnShare } from "../shares/turn-share.ts";
import { StoreCursorInvalid } from "../stores/contract/errors.ts";
import { type ChangeBatch, recordIdSchema, type Store } from "../stores/contract/store.ts";
import {
  acceptedRepresentation,
  type ChangesQuery,
  changesQuery,
  changesRepresentations,
  eventStreamRepresentation,
  pathOfList,
} from "./changes-query.ts";
import { operation } from "./operation.ts";
import { type Preferences, preferenceApplied, preferring, readPreferences, withApplied } from "./preferences.ts";

/** In seconds: how long `Prefer: wait` holds an answer at most. */
const longestWait = 30;

/**
 * Makes the handler for a GET of the changes of a collection: sends those behind the cursor in `after`, and leads on by `Link`. With
 * `Prefer: wait=N` without a change it waits for one. An event stream goes on with those that come.
 */
export function readChanges(settings: CollectionSettings): CollectionHandler {
  const { scope, mayRead, heldLists, sharedChanges } = settings;
  const { read } = changesQuery(settings);
  return operation(settings, "changes", describe, async (request) => {
    if (!mayRead(request, pathOfList(request))) {
      const detail = "The changes have all records, which these credentials may not list.";
      throw new HttpError(problem(problemTypes.forbidden, { detail }));
    }
    const store = await scope.storeOf(request, "changes");
    const representation = acceptedRepresentation(request);
    if (request.query.get("after") === "") throw new StoreCursorInvalid("It is empty");
    const query = read(request.search);
    if (representation === eventStreamRepresentation) return streamChanges(request, store, query, settings);
    const preferences = waitPreference(request);
    const held = heldLists.begin(request);
    try {
      const batch = await readBatch(request, store, query, { preferences, settings });
      held.count({ records: batch.changes.map((change) => toSent(change, undefined)), next: undefined });
      const url = collectionUrl(request, "changes");
      const syntax = {
        key: `${representation.mediaType} ${url}`,
        syntax: () => representation.list({ url, request }),
      };
      const body = await sharedChanges.text(batch, query.fields, syntax, new TurnShare(request));
      const fields = HeaderList.of({
        "Content-Type": representation.contentType,
        "Cache-Control": "private, no-cache",
        Link: `<${publicUrl.of(request)}?${withoutPlace(query.parameters)}after=${batch.cursor}>; rel="next"`,
      });
      return withApplied(
        new HttpResponse(200, fields.withMembers("Vary", ["Accept", "Prefer"])).withBody(body),
        preferences,
      );
    } catch (error) {
      held.release();
      throw error;
    }
  });
}

const describe = (place: DescribedCollection): readonly Description[] => {
  const { nouns, schemas } = place;
  return [
    {
      operationId: `list${nouns.schema}Changes`,
      summary: `Follow the changes of ${nouns.many}`,
      description: `What has changed behind a cursor, the oldest change first: each ${nouns.one} once, in the latest state, or as removed. Without a cursor, from the beginning. An event stream goes on with the changes that come.`,
      query: changesQuery(place).describe(),
      responses: {
        200: {
          description: "The changes.",
          headers: {
            Link: {
              description:
                "What follows these changes, also where there is nothing yet (RFC 8288); not of an event stream.",
            },
            "X-Accel-Buffering": { description: "`no`: proxies should pass on an event stream as it comes." },
            ...preferenceApplied,
          },
          types: Object.fromEntries(
            changesRepresentations.map(({ mediaType }) => [
              mediaType,
              { schema: mediaType === "application/json" ? changesSchema(schemas.stored) : { type: "string" } },
            ]),
          ),
        },
      },
      problems: [
        types.invalidCursor,
        types.cursorGone,
        problemTypes.notAcceptable,
        types.listsBusy,
        ...problemsOfReaders(place),
      ],
    },
    preferring({ wait: [`${longestWait}`] }),
    {
      headers: {
        "Last-Event-ID": { description: "Of an event stream: goes on behind the last `id` that the client has." },
      },
    },
  ];
};

/** Changes: records, and removals. */
const changesSchema = (stored: Schema): Schema => ({
  type: "array",
  items: {
    anyOf: [
      stored,
      {
        type: "object",
        description: "A record that was removed.",
        required: ["id", "removed"],
        properties: { id: recordIdSchema, removed: { const: true } },
      },
    ],
  },
});

/** Reads how long the answer may be held (RFC 7240 §4.3). A HEAD is answered at once. */
function waitPreference(request: HttpRequest<unknown>): Preferences {
  const [, asked = ""] = [...parsePrefer(request.header("Prefer") ?? "")].find(([name]) => name === "wait") ?? [];
  const isValid = /^[1-9][0-9]{0,8}$/.test(asked) && request.method !== "HEAD";
  const preferences = readPreferences(request, { wait: isValid ? [asked] : [] });
  return isValid ? new Map(preferences).set("wait", `${Math.min(Number(asked), longestWait)}`) : preferences;
}

/** Reads changes; without any, waits for the first as long as the client prefers. */
async function readBatch(
  request: HttpRequest<unknown>,
  store: Store,
  { after, limit }: ChangesQuery,
  { preferences, settings }: { readonly preferences: Preferences; readonly settings: CollectionSettings },
): Promise<ChangeBatch> {
  const { changedFrom, waitingShares, sharedChanges } = settings;
  const caller = callerKey(request);
  const options = { caller, ...(limit !== undefined && { limit }) };
  const seconds = Number(preferences.get("wait") ?? 0);
  if (seconds === 0 || waitingShares.exceededBy(caller, 1) !== undefined) return store.changes(after, options);
  const end = AbortSignal.any([request.signal, request.draining, AbortSignal.timeout(seconds * 1000)]);
  waitingShares.add(caller, 1);
  const readmission = new Readmission(settings, request, pathOfList(request));
  try {
    const placeOf = (cursor: string | undefined): string => JSON.stringify([cursor, request.variables, store.view]); // they name the owner
    let state = after === undefined ? undefined : sharedChanges.stateAt(placeOf(after));
    let batch: ChangeBatch = { changes: [], cursor: after ?? "", hasMore: false, revision: 0 };
    if (state === undefined) {
      state = await store.state();
      batch = await sharedChanges.read(`${state} ${limit} ${placeOf(after)}`, () => store.changes(after, options));
    }
    // Those at the end of the last read are not read for at once: they are woken together, and share the next read.
    while (batch.changes.length === 0 && !batch.hasMore) {
      overload.leave(request);
      state = await changedFrom(state, end);
      if (state === undefined) break;
      // The caller may have lost its rights while it waited: then it gets nothing, asks again, and learns why.
      if (!(await readmission.isGranted())) break;
      const { cursor } = batch;
      batch = await sharedChanges.read(`${state} ${limit} ${placeOf(cursor)}`, () => store.changes(cursor, options));
      if (!batch.hasMore) sharedChanges.endsAt(placeOf(batch.cursor), state);
    }
    return batch;
  } finally {
    waitingShares.add(caller, -1);
  }
}

/**
 * Answers with the changes as an event stream, which goes on with those that come. A client that lost its stream goes on behind the
 * `Last-Event-ID` that it has.
 *
 * @throws HttpError 503 when the caller has as many streams open as it may
 */
async function streamChanges(
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
  return new HttpError(problem(types.listsBusy, { detail }).withHeader("Retry-After", "5"));
};
