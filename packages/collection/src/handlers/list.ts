import { type Awaitable, type HttpRequest, HttpResponse } from "waymark";
import { evaluatePreconditions, HeaderList, notModified } from "waymark/fields";
import { andThen, wording } from "waymark/internal";
import type { Description } from "waymark/openapi";
import { conditionalRead, stateFields } from "../description/conditions.ts";
import type { DescribedCollection } from "../description/described-collection.ts";
import { listTypes } from "../description/examples.ts";
import { listText, wholeListText } from "../formats/list-text.ts";
import { Readmission, RightsEnded } from "../layers/readmission.ts";
import { narrow } from "../lists/fields.ts";
import type { HeldList } from "../lists/held-lists.ts";
import { linkField, pageLinks, type ReadSelection, readPage } from "../lists/page.ts";
import { type ListQuery, listQuery } from "../lists/query.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import { collectionUrl } from "../record-scope.ts";
import type { ListPage, ListRepresentation, ListSyntax } from "../representation.ts";
import type { CollectionSettings, ListHandler } from "../settings.ts";
import { inTurns, TurnShare } from "../shares/turn-share.ts";
import type { RecordBatch, Store } from "../stores/contract/store.ts";
import { batchesFrom } from "../stores/record-store.ts";
import { operation } from "./operation.ts";
import { type KnownPreferences, preferenceApplied, preferring, readPreferences, withApplied } from "./preferences.ts";
import { refusePrecondition } from "./refusals.ts";
import {
  allowRepetition,
  asFile,
  chosenRepresentation,
  dependingOn,
  fileField,
  listFields,
  listValidators,
  type StateValidators,
} from "./selected-representation.ts";

/**
 * Makes the handler for a GET of a collection: sends all matching records, or a page of them. What is in memory after one read is
 * sent whole, with its length, and without a promise when the store returns none; what is longer is streamed.
 */
export function listRecords(settings: CollectionSettings): ListHandler {
  const { scope, lists, maxPageSize, heldLists, nouns } = settings;
  const { read } = listQuery(settings);
  return operation(settings, "collection", describe, (request) => {
    const answer = (store: Store): Awaitable<HttpResponse> => {
      const representation = chosenRepresentation(request, lists);
      allowRepetition(request, store, representation);
      const query = read(request.search, representation);
      const preferences = readPreferences(request, knownPreferences);
      const validatorsIn = (state: string): StateValidators =>
        listValidators(request, store, state, lists, representation);
      const send = (): Awaitable<HttpResponse> => {
        const isCounted = preferences.has("count");
        const readmission = new Readmission(settings, request);
        const url = collectionUrl(request, "collection");
        const list = { request, store, url, query, representation, maxPageSize, isCounted, readmission };
        return andThen(readContent(list, heldLists.begin(request)), ({ state, fields, body }) => {
          const all = listFields(representation, validatorsIn(state)).concat(fields);
          const response = asFile(new HttpResponse(200, all, body), request, { representation, many: nouns?.many });
          return withApplied(response, preferences);
        });
      };
      // A list has no time of change, so that only entity tags are compared.
      if (!(request.headers.has("If-None-Match") || request.headers.has("If-Match"))) return send();
      return andThen(store.state(), (state) => {
        const verdict = evaluatePreconditions(request, validatorsIn(state));
        if (verdict === "failed") return refusePrecondition(request, validatorsIn(state).entityTag);
        if (verdict !== "not-modified") return send();
        return notModified(new HttpResponse(200, listFields(representation, validatorsIn(state))));
      });
    };
    return andThen(scope.storeOf(request, "collection"), answer);
  });
}

const knownPreferences: KnownPreferences = { count: ["exact"] };

const describe = (place: DescribedCollection): readonly Description[] => {
  const { many } = place.nouns;
  return [
    conditionalRead({ ETag: stateFields.ETag }),
    preferring(knownPreferences),
    dependingOn(place.lists),
    {
      operationId: `list${wording.pascalCase(many)}`,
      summary: `List ${many}`,
      description: `All ${many} by ascending id, or those that the query asks for. A list of any length is streamed.`,
      query: listQuery(place).describe(),
      responses: {
        200: {
          description: `The ${many}.`,
          headers: {
            ETag: { description: `The state of all ${many}.`, example: '"all-7-json"' },
            Link: { description: "The first page, the next and the previous one (RFC 8288); with `limit`." },
            "X-Total-Count": {
              description: "How many the filters leave; with `Prefer: count=exact`.",
              schema: { type: "integer", minimum: 0 },
            },
            ...preferenceApplied,
            ...fileField,
          },
          types: listTypes(place),
        },
      },
      problems: [collectionProblemTypes.listsBusy],
    },
  ];
};

interface AskedList {
  readonly request: HttpRequest<unknown>;
  readonly store: Store;
  /** The URL of the collection for clients. */
  readonly url: string;
  readonly query: ListQuery;
  readonly representation: ListRepresentation;
  readonly maxPageSize: number;
  /** Whether the client asks how many records there are on all pages. */
  readonly isCounted: boolean;
  readonly readmission: Readmission;
}

interface ListContent {
  /** The state of the store that the first records show. */
  readonly state: string;
  /** The fields that describe the page. */
  readonly fields: HeaderList;
  readonly body: string | AsyncIterable<string>;
}

function readContent(list: AskedList, held: HeldList): Awaitable<ListContent> {
  const { request, store, url, query, representation, maxPageSize, isCounted } = list;
  const { selection, fields } = query;
  const share = new TurnShare(request);
  const read = heldReads(store, held, { share, readmission: list.readmission });

  const finish = (state: string, batch: RecordBatch, page?: ListPage): Awaitable<ListContent> => {
    // A page for browsers has its own links, and Firefox fetches the next page of this field before anybody asks for it.
    const link = page && representation.mediaType !== "text/html" ? linkField(page.links) : undefined;
    const options = { url, request, ...(page && { page }), ...(fields && { fields }) };
    const syntax = narrowed(representation.list(options), fields);
    const total = isCounted ? store.count(selection, held.since(state)) : undefined;
    return andThen(total, (counted) =>
      andThen(listBody(batch, syntax, held, share), (body) => ({
        state,
        fields: HeaderList.of({
          ...(link !== undefined && { Link: link }),
          ...(counted !== undefined && { "X-Total-Count": `${counted}` }),
        }),
        body,
      })),
    );
  };

  const limit = selection.limit ?? representation.pageSize;
  if (limit === undefined) return andThen(read(selection), (first) => finish(first.state, first));
  return andThen(readPage(read, query, { limit, size: maxPageSize }, store.members), (page) =>
    finish(page.state, page.batch, { links: pageLinks(url, limit, query, page, store.members) }),
  );
}

/** Makes the body of a list: what is in memory after one read is one text, and what is longer is streamed. */
function listBody(
  batch: RecordBatch,
  syntax: ListSyntax,
  held: HeldList,
  share: TurnShare,
): Awaitable<string | AsyncIterable<string>> {
  if (batch.next === undefined) return wholeListText(batch.records, syntax, share);
  return begin(listText(held.untilEnd(inTurns(batchesFrom(batch), share)), syntax));
}

/**
 * Returns what reads the records of a selection: each batch is counted as held, and waits for its turn. A caller that may not have
 * more is cut off: an end would look like that of the list.
 */
function heldReads(
  store: Store,
  held: HeldList,
  { share, readmission }: { readonly share: TurnShare; readonly readmission: Readmission },
): ReadSelection {
  const counted = <B extends RecordBatch>(batch: B): B => {
    held.count(batch);
    const { next } = batch;
    if (next === undefined) return batch;
    const inTurn = async (): Promise<RecordBatch> => {
      if (share.isUsed) await share.next();
      if (readmission.isDue() && !(await readmission.isGranted())) {
        held.giveUp();
        throw new RightsEnded("The list ends here.");
      }
      return counted(await next());
    };
    return { ...batch, next: inTurn };
  };
  return (selection, notBefore) =>
    andThen(store.batch(selection, notBefore === undefined ? held : held.since(notBefore)), counted);
}

/** Returns the syntax of a list whose records have only these fields. */
function narrowed(syntax: ListSyntax, fields: readonly string[] | undefined): ListSyntax {
  return fields === undefined ? syntax : { ...syntax, item: (record) => syntax.item(narrow(record, fields)) };
}

/**
 * Waits for the first value of a source, so that an earlier failure can still be answered with an error. The returned iterable
 * yields that value and the following ones, once; leaving it early ends the source.
 */
async function begin<T>(source: AsyncGenerator<T, void, undefined>): Promise<AsyncIterable<T>> {
  let first: IteratorResult<T, void> | undefined = await source.next();
  const iterator: AsyncIterator<T, void, undefined> = {
    async next() {
      const result = first ?? (await source.next());
      first = undefined;
      return result;
    },
    return: () => source.return(),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
