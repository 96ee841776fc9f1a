import { type HttpRequest, HttpResponse } from "waymark";
import { evaluatePreconditions, HeaderList, notModified } from "waymark/fields";
import { type ListSyntax, listText, wholeListText } from "../formats/list-text.ts";
import { narrow } from "../lists/fields.ts";
import type { HeldList } from "../lists/held-lists.ts";
import { linkField, pageLinks, readPage } from "../lists/page.ts";
import { type QueryParameters, readQuery } from "../lists/parameters.ts";
import { type ListQuery, parseListQuery } from "../lists/query.ts";
import type { ListPage, ListRepresentation } from "../representation.ts";
import type { Selection } from "../selection.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import type { Document, RecordBatch, Store } from "../store.ts";
import { batchesFrom } from "../stores/record-store.ts";
import { inTurns, TurnShare } from "../turn-share.ts";
import { readPreferences, withApplied } from "./preferences.ts";
import { collectionUrl } from "./record-scope.ts";
import { guarded, refusePrecondition } from "./refusals.ts";
import { asFile, chosenRepresentation, listFields, listValidators } from "./selected-representation.ts";

/**
 * Makes the handler for a GET of a collection: sends all matching records, or a page of them. What is in memory after one read is
 * sent whole, with its length; what is longer is streamed.
 */
export function listRecords<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { scope, lists, members, maxPageSize, heldLists } = settings;
  return guarded(async (request) => {
    const store = await scope.storeOf(request, "collection");
    const representation = chosenRepresentation(request, lists);
    const known = { members: store.members, fullText: store.fullText.length > 0, fields: members, representation };
    const { parameters, query } = readQuery(request.search, (parameters, report) => ({
      parameters,
      query: parseListQuery(parameters, known, report),
    }));
    const preferences = readPreferences(request, { count: ["exact"] });

    // The revision is read before the records: a change in between makes the tag older than the content, never newer.
    const validators = listValidators(request, await store.state(), lists, representation);
    const verdict = evaluatePreconditions(request, validators);
    if (verdict === "failed") return refusePrecondition(request);
    const response = new HttpResponse(200, listFields(representation, validators));
    if (verdict === "not-modified") return notModified(response);

    const url = collectionUrl(request, "collection");
    const isCounted = preferences.has("count");
    const list: AskedList = { request, store, url, parameters, query, representation, maxPageSize, isCounted };
    const file = asFile(response, request, { representation });
    const held = heldLists.begin(request);
    try {
      return withApplied(await withRecords(file, list, held), preferences);
    } catch (error) {
      held.release();
      throw error;
    }
  });
}

/** A list that a client asks for. */
interface AskedList {
  readonly request: HttpRequest<unknown>;
  readonly store: Store;
  /** The URL of the collection for clients. */
  readonly url: string;
  readonly parameters: QueryParameters;
  readonly query: ListQuery;
  readonly representation: ListRepresentation;
  readonly maxPageSize: number;
  /** Whether the client asks how many records there are on all pages. */
  readonly isCounted: boolean;
}

/** Returns the response with the records of the list, or of a page of it, and with the fields that describe the page. */
async function withRecords(response: HttpResponse, list: AskedList, held: HeldList): Promise<HttpResponse> {
  const { request, store, url, parameters, query, representation, maxPageSize, isCounted } = list;
  const { selection, fields } = query;
  const share = new TurnShare(request);
  const read = heldReads(store, held, share);
  let batch: RecordBatch;
  let page: ListPage | undefined;
  let described = response;
  const limit = selection.limit ?? representation.pageSize;
  if (limit === undefined) {
    batch = await read(selection);
  } else {
    const found = await readPage(read, query, { limit, size: maxPageSize }, store.members);
    batch = found.batch;
    page = { links: pageLinks(url, parameters, limit, query, found) };
    described = described.withHeaders(described.headers.concat(HeaderList.of({ Link: linkField(page.links) })));
  }
  if (isCounted) {
    const total = await store.count(selection, held);
    described = described.withHeader("X-Total-Count", `${total}`);
    page &&= { ...page, total };
  }
  const options = { url, request, ...(page && { page }), ...(fields && { fields }) };
  const syntax = narrowed(representation.list(options), fields);
  return described.withBody(await listBody(batch, syntax, held, share));
}

/** Makes the body of a list: what is in memory after one read is one text, and what is longer is streamed. */
async function listBody(
  batch: RecordBatch,
  syntax: ListSyntax,
  held: HeldList,
  share: TurnShare,
): Promise<string | AsyncIterable<string>> {
  if (batch.next === undefined) return wholeListText(batch.records, syntax, share);
  return begin(listText(held.untilEnd(inTurns(batchesFrom(batch), share)), syntax));
}

/** Returns what reads the records of a selection: each batch is counted as held, and waits for its turn. */
function heldReads(store: Store, held: HeldList, share: TurnShare): (selection: Selection) => Promise<RecordBatch> {
  const counted = ({ records, next }: RecordBatch): RecordBatch => {
    held.count(records);
    if (next === undefined) return { records, next };
    const inTurn = async (): Promise<RecordBatch> => {
      if (share.isUsed) await share.next();
      return counted(await next());
    };
    return { records, next: inTurn };
  };
  return async (selection) => counted(await store.batch(selection, held));
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
