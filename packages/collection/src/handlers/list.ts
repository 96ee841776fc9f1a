import { HttpResponse } from "waymark";
import { evaluatePreconditions, notModified } from "waymark/fields";
import { toPublicUrl } from "waymark/filters";
import { narrowAll } from "../lists/fields.ts";
import { linkField, pageLinks, readPage } from "../lists/page.ts";
import { readQuery } from "../lists/parameters.ts";
import { parseListQuery } from "../lists/query.ts";
import type { ListPage } from "../representation.ts";
import type { Selection } from "../selection.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import type { Document, ReadOptions, StoredRecord } from "../store.ts";
import { inTurns, TurnShare } from "../turn-share.ts";
import { readPreferences, withApplied } from "./preferences.ts";
import { guarded, refusePrecondition } from "./refusals.ts";
import { asFile, chosenRepresentation, listValidators, representationFields } from "./selected-representation.ts";

/** Makes the handler for a GET of a collection: streams all matching records, or a page of them. */
export function listRecords<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { scope, lists, members, maxPageSize, heldLists } = settings;
  return guarded(async (request) => {
    const { store, path } = await scope(request);
    const representation = chosenRepresentation(request, lists);
    const known = { members: store.members, fullText: store.fullText, fields: members, representation };
    const { parameters, query } = readQuery(request.search, (parameters, report) => ({
      parameters,
      query: parseListQuery(parameters, known, report),
    }));
    const preferences = readPreferences(request, { count: ["exact"] });

    // The revision is read before the records: a change in between makes the tag older than the content, never newer.
    const validators = listValidators(request, await store.state(), lists, representation);
    const verdict = evaluatePreconditions(request, validators);
    if (verdict === "failed") return refusePrecondition(request);
    const headers = representationFields(representation, validators).withMembers("Vary", ["Prefer"]);
    let response = new HttpResponse(200, headers);
    if (verdict === "not-modified") return notModified(response);
    response = asFile(response, request, representation, path);

    const held = heldLists.begin(request);
    try {
      const { selection, fields } = query;
      const share = new TurnShare(request);
      const reading: ReadOptions = {
        get signal() {
          return request.signal;
        },
        caller: held.caller,
      };
      const read = (wanted: Selection): AsyncIterable<readonly StoredRecord[]> =>
        inTurns(held.count(store.list(wanted, reading)), share);
      let batches: AsyncIterable<readonly StoredRecord[]>;
      let listPage: ListPage | undefined;
      const limit = selection.limit ?? representation.pageSize;
      if (limit === undefined) {
        batches = read(selection);
      } else {
        const page = await readPage(read, query, { limit, size: maxPageSize }, store.members);
        batches = inTurns(page.batches, share);
        const links = pageLinks(toPublicUrl(request, path), parameters, limit, query, page);
        listPage = { links };
        response = response.withHeader("Link", linkField(links));
      }
      if (preferences.has("count")) {
        const total = await store.count(selection, reading);
        response = response.withHeader("X-Total-Count", `${total}`);
        listPage &&= { ...listPage, total };
      }
      const options = { url: toPublicUrl(request, path), request, ...(listPage && { page: listPage }) };
      const whole = held.untilEnd(batches);
      const pieces =
        fields === undefined
          ? representation.list(whole, options)
          : representation.list(narrowAll(whole, fields), { ...options, fields });
      return withApplied(response, preferences).withBody(await begin(pieces));
    } catch (error) {
      held.release();
      throw error;
    }
  });
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
