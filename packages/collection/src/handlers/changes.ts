import { HttpError, type HttpRequest, HttpResponse, problem, problemTypes } from "waymark";
import { HeaderList, negotiate, parsePrefer } from "waymark/fields";
import { toPublicUrl } from "waymark/filters";
import { callerKey } from "../caller-shares.ts";
import { jsonRepresentation } from "../formats/json.ts";
import { wholeListText } from "../formats/list-text.ts";
import { ndjsonRepresentation } from "../formats/ndjson.ts";
import { chooseFields, narrow } from "../lists/fields.ts";
import { formatParameter, type QueryParameters, readQuery, reportUnknown } from "../lists/parameters.ts";
import { parseLimit } from "../lists/query.ts";
import { collectionUrl } from "../record-scope.ts";
import { type ListRepresentation, mediaTypeOf } from "../representation.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import type { ChangeBatch, ChangesOptions, Document, RecordChange, Store, StoredRecord } from "../store.ts";
import { StoreCursorInvalid } from "../store-errors.ts";
import { TurnShare } from "../turn-share.ts";
import { type Preferences, readPreferences, withApplied } from "./preferences.ts";
import { chosenRepresentation } from "./selected-representation.ts";

/** The forms in which changes are sent, the preferred first. */
export const changesRepresentations: readonly [ListRepresentation, ...ListRepresentation[]] = [
  jsonRepresentation,
  ndjsonRepresentation,
];

const changesMediaTypes = changesRepresentations.map(mediaTypeOf);

/** In seconds: how long `Prefer: wait` holds an answer at most. */
export const longestWait = 30;

/**
 * Makes the handler for a GET of the changes of a collection: sends those behind the cursor in `after`, and leads on by `Link`. With
 * `Prefer: wait=N` it waits for a change where there is none.
 */
export function readChanges<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { scope, members, mayRead, heldLists, sharedChanges } = settings;
  return async (request) => {
    if (!mayRead(request, pathOfList(request))) {
      const detail = "The changes have all records, which these credentials may not list.";
      throw new HttpError(problem(problemTypes.forbidden, { detail }));
    }
    const store = await scope.storeOf(request, "changes");
    const representation = acceptedRepresentation(request);
    const query = readChangesQuery(request, members, representation);
    const preferences = waitPreference(request);
    const held = heldLists.begin(request);
    try {
      const batch = await readBatch(request, store, query, { preferences, settings });
      held.count({ records: batch.changes.map((change) => toSent(change, undefined)), next: undefined });
      const url = collectionUrl(request, "changes");
      const textKey = JSON.stringify([representation.mediaType, url, query.fields]);
      const body = await sharedChanges.text(batch, textKey, () => {
        const records = batch.changes.map((change) => toSent(change, query.fields));
        return wholeListText(records, representation.list({ url, request }), new TurnShare(request));
      });
      const fields = HeaderList.of({
        "Content-Type": representation.contentType,
        "Cache-Control": "private, no-cache",
        Link: `<${nextUrl(toPublicUrl(request), query.parameters, batch.cursor)}>; rel="next"`,
      });
      return withApplied(
        new HttpResponse(200, fields.withMembers("Vary", ["Accept", "Prefer"])).withBody(body),
        preferences,
      );
    } catch (error) {
      held.release();
      throw error;
    }
  };
}

/**
 * Chooses JSON or NDJSON. The handler does so, and not its route: what the route did not take would be taken for the id of a record.
 *
 * @throws HttpError 406 when the client takes neither
 */
function acceptedRepresentation(request: HttpRequest<unknown>): ListRepresentation {
  const named = chosenRepresentation(request, changesRepresentations);
  if (request.query.has(formatParameter)) return named;
  const accepted = changesRepresentations[negotiate(request.headers.get("Accept"), changesMediaTypes)];
  if (accepted !== undefined) return accepted;
  const available = changesRepresentations.map(({ mediaType }) => mediaType);
  const detail = `Changes are sent as ${available.join(" and ")}.`;
  throw new HttpError(problem(problemTypes.notAcceptable, { detail, available }).withHeader("Vary", "Accept"));
}

/** Returns the path of the list whose changes are requested. */
const pathOfList = ({ path }: HttpRequest<unknown>): string => path.slice(0, path.lastIndexOf("/")) || "/";

/** What a client asks for. */
interface ChangesQuery extends Pick<ChangesOptions, "limit"> {
  readonly parameters: QueryParameters;
  readonly after: string | undefined;
  /** The members to send, with the id; undefined for all. */
  readonly fields: readonly string[] | undefined;
}

function readChangesQuery(
  { search, query }: HttpRequest<unknown>,
  members: readonly string[] | undefined,
  representation: ListRepresentation,
): ChangesQuery {
  if (query.get("after") === "") throw new StoreCursorInvalid("It is empty");
  return readQuery(search, (parameters, report) => {
    let limit: number | undefined;
    let fields: readonly string[] | undefined;
    for (const [name, value] of parameters) {
      if (name === "after" || name === formatParameter) continue;
      if (name === "limit") limit = parseLimit(value, report);
      else if (name === "fields" && members !== undefined) {
        fields = chooseFields(value, members, representation, report);
      } else reportUnknown(name, { names: parameterNames(members), filters: [], members: members ?? [] }, report);
    }
    return {
      parameters,
      after: parameters.get("after"),
      ...(limit !== undefined && { limit }),
      fields: fields && ["id", ...fields.filter((name) => name !== "id")],
    };
  });
}

const parameterNames = (members: readonly string[] | undefined): readonly string[] => [
  ...["after", "limit"],
  ...(members === undefined ? [] : ["fields"]),
  formatParameter,
];

/** Reads how long the answer may be held (RFC 7240 §4.3). A HEAD is answered at once. */
function waitPreference(request: HttpRequest<unknown>): Preferences {
  const [, asked = ""] = [...parsePrefer(request.header("Prefer") ?? "")].find(([name]) => name === "wait") ?? [];
  const isValid = /^[1-9][0-9]{0,8}$/.test(asked) && request.method !== "HEAD";
  const preferences = readPreferences(request, { wait: isValid ? [asked] : [] });
  return isValid ? new Map(preferences).set("wait", `${Math.min(Number(asked), longestWait)}`) : preferences;
}

/** Reads changes; where there are none, waits for the first as long as the client prefers. */
async function readBatch<T extends Document>(
  request: HttpRequest<unknown>,
  store: Store,
  { after, limit }: ChangesQuery,
  { preferences, settings }: { readonly preferences: Preferences; readonly settings: CollectionSettings<T> },
): Promise<ChangeBatch> {
  const { feedWatch, waitingShares, sharedChanges } = settings;
  const caller = callerKey(request);
  const options = { caller, ...(limit !== undefined && { limit }) };
  const seconds = Number(preferences.get("wait") ?? 0);
  if (seconds === 0 || waitingShares.exceededBy(caller, 1) !== undefined) return store.changes(after, options);
  const end = AbortSignal.any([request.signal, request.draining, AbortSignal.timeout(seconds * 1000)]);
  waitingShares.add(caller, 1);
  try {
    const placeOf = (cursor: string | undefined): string => JSON.stringify([cursor, request.variables]); // they name the owner
    let state = after === undefined ? undefined : sharedChanges.stateAt(placeOf(after));
    let batch: ChangeBatch = { changes: [], cursor: after ?? "", hasMore: false };
    if (state === undefined) {
      state = await store.state();
      batch = await sharedChanges.read(`${state} ${limit} ${placeOf(after)}`, () => store.changes(after, options));
    }
    // Those at the end of the last read are not read for at once: they are woken together, and share the next read.
    while (batch.changes.length === 0 && !batch.hasMore) {
      state = await feedWatch.changedFrom(state, end);
      if (state === undefined) break;
      const { cursor } = batch;
      batch = await sharedChanges.read(`${state} ${limit} ${placeOf(cursor)}`, () => store.changes(cursor, options));
      if (!batch.hasMore) sharedChanges.endsAt(placeOf(batch.cursor), state);
    }
    return batch;
  } finally {
    waitingShares.add(caller, -1);
  }
}

/** Makes the form in which a change is sent: the record with these fields, or `{"id":7,"removed":true}`. */
function toSent(change: RecordChange, fields: readonly string[] | undefined): StoredRecord {
  if (change.kind === "stored") return narrow(change.record, fields);
  const { id, revision } = change;
  return { id, revision, updatedAt: 0, json: `{"id":${id},"removed":true}` };
}

function nextUrl(url: string, parameters: QueryParameters, cursor: string): string {
  const others = [...parameters].filter(([name]) => name !== "after");
  const kept = others.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`);
  return `${url}?${kept.join("")}after=${cursor}`;
}
