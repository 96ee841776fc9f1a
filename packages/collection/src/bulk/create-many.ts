import { type Awaitable, type HttpRequest, type HttpResponse, notFound, problemTypes } from "waymark";
import { chooseDecoder, type ValidationResult } from "waymark/content";
import { pascalCase } from "waymark/internal";
import type { Description } from "waymark/openapi";
import { changeNote } from "../change-note.ts";
import type { DescribedCollection } from "../description/described-collection.ts";
import { listContentTypes } from "../description/examples.ts";
import type { ListedValue } from "../formats/list-decoder.ts";
import type { BulkCreate } from "../handlers/create.ts";
import { creationOf } from "../handlers/new-record.ts";
import { operation } from "../handlers/operation.ts";
import {
  type KnownPreferences,
  type Preferences,
  preferenceApplied,
  preferring,
  readPreferences,
  withApplied,
} from "../handlers/preferences.ts";
import { heldByAnother, refuseOwner, refuseUnreadable } from "../handlers/refusals.ts";
import { isJsonObject, without } from "../members/json-object.ts";
import { Readmission } from "../readmission.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import type { Document, Store } from "../stores/contract/store.ts";
import type { BulkAdmission } from "./admission.ts";
import { changeMany } from "./change-many.ts";
import { addConflicts } from "./conflict-errors.ts";
import { foretoldConflicts } from "./foretold-conflicts.ts";
import { bulkQuery } from "./query.ts";
import {
  answerCounts,
  LineErrors,
  ofManyRecords,
  refuseBrokenOff,
  refuseConflicts,
  refuseIdempotencyKey,
  refuseInvalid,
  refuseMalformed,
  reportOfLines,
} from "./report.ts";
import { inBatches, type Spool } from "./spool.ts";
import { storeEach } from "./store-each.ts";
import { BulkWork } from "./work.ts";

/** Makes the handler for a POST of many records. */
export const createMany = (settings: CollectionSettings, bulk: BulkCreate): CollectionHandler =>
  operation(
    settings,
    "collection",
    (place) => describe(place, bulk),
    (request) => bulk.store(request),
  );

const describe = (place: DescribedCollection, bulk: BulkCreate): readonly Description[] => {
  const { many } = place.nouns;
  return [
    preferring(knownPreferences),
    {
      operationId: `createMany${pascalCase(many)}`,
      summary: `Store many ${many}`,
      description:
        "Stores all of them, or none and says what is wrong with each. With `Prefer: handling=lenient` those that are good.",
      query: bulkQuery(place).describe(),
      content: { types: listContentTypes(place) },
    },
    bulk.answers(place),
  ];
};

const knownPreferences: KnownPreferences = { handling: ["lenient"] };

/**
 * Makes what stores many records. Records are validated as they arrive and kept on disk; the store gets them only
 * after the content has ended. So a slow client blocks nobody, and a client that disconnects stores nothing.
 */
export function bulkCreate(settings: CollectionSettings, admit: BulkAdmission): BulkCreate {
  const { scope, listDecoders, bulk, serverMembers, mayRead } = settings;
  const { read } = bulkQuery(settings);
  const storeMany: BulkCreate["store"] = async (request, given) => {
    const preferences = readPreferences(request, knownPreferences);
    const lenient = preferences.get("handling") === "lenient";
    const query = read(request.search, lenient);
    const { isDryRun, rules } = query;
    if ((isDryRun || rules !== undefined) && !mayRead(request, request.path)) {
      return refuseUnreadable(rules === undefined ? "dry run" : "matching");
    }
    const store = await scope.storeOf(request, "collection");
    // A list that was read can be sent back: its ids are kept, and the server sets its other members again.
    const ignored = serverMembers.filter((name) => name !== "id" && name !== store.owner?.member);
    if (request.headers.has("Idempotency-Key")) return refuseIdempotencyKey();
    const { decoder, mediaType } = chooseDecoder(request.headers, listDecoders);
    const admitted = admit(request);
    try {
      const spool = await admitted.openSpool();
      const work = new BulkWork(bulk, request.signal, new Readmission(settings, request));
      const content = given ?? request.stream({ limit: bulk.maxBytes, maxExpansion: bulk.maxExpansion });
      let found: object | undefined;
      const onFound = (what: object): void => {
        found = what;
      };
      let columns: readonly string[] | undefined;
      const onColumns = (names: readonly string[]): void => {
        columns = names;
      };
      const { asNew = (value: unknown) => value } = decoder;
      const validateNew = creationOf(settings, preferences, store.owner);
      const validate: typeof validateNew = (value) => validateNew(asNew(value));
      const storesAll = !lenient && !isDryRun && rules === undefined;
      const errors = new LineErrors(decoder.place, !lenient && !isDryRun ? "listed" : bulk.maxRefused);
      const onNote = errors.note.bind(errors);
      const values = decoder.decode(work.piecesOf(content), { mediaType, lenient, onFound, onColumns, onNote });
      const validated = (value: unknown) => {
        const sent = stripped(value, ignored);
        // What a line changes is validated with the record, which is read when all have arrived.
        return rules !== undefined && isJsonObject(sent) ? { value: sent } : validate(sent);
      };
      const stoppedAfter = await putAside(values, validated, { spool, work, errors, storesAll });
      if (stoppedAfter !== undefined || (storesAll && errors.lines > 0)) return refuseInvalid(errors, stoppedAfter);
      if (rules !== undefined) {
        const lines = { request, store, lines: spool, work, errors, isDryRun, lenient, most: query.most, found };
        const answer = await changeMany(settings, rules, {
          ...lines,
          validate,
          columns,
          plan: await admitted.openSpool(),
        });
        return withApplied(answer, preferences);
      }
      const valid: ValidRecords = { request, store, spool, work, errors, preferences };
      if (isDryRun) return await judgeAgainstStored(valid, found);
      return lenient ? await storeOneByOne(valid) : await storeAll(valid);
    } catch (error) {
      throw refuseMalformed(error);
    } finally {
      await admitted.end();
    }
  };
  return { store: storeMany, answers };
}

/** What is said of what stores many records. */
const answers = (place: DescribedCollection): Description => ({
  responses: {
    200: {
      description: `The ${place.nouns.many} are stored.`,
      headers: preferenceApplied,
      types: { "application/json": { schema: reportOfLines } },
    },
  },
  problems: [...ofManyRecords(place), problemTypes.contentExpandsTooFar],
});

/** The valid records of a request, on disk, and the errors of the others. */
interface ValidRecords {
  readonly request: HttpRequest<unknown>;
  readonly store: Store;
  readonly spool: Spool;
  readonly work: BulkWork;
  readonly errors: LineErrors;
  readonly preferences: Preferences;
}

async function storeAll({ request, store, spool, work, errors, preferences }: ValidRecords): Promise<HttpResponse> {
  const creation = await store.createAll(documentsOf(spool, work));
  switch (creation.kind) {
    case "created":
      request.attribute(changeNote)?.add("created", { count: creation.count });
      return withApplied(answerCounts({ stored: creation.count }, errors), preferences);
    case "refused":
      await addConflicts(errors, creation.conflicts, spool, work);
      return refuseConflicts(errors);
    case "ownerless":
      return store.owner === undefined ? notFound() : refuseOwner(store.owner);
  }
}

async function storeOneByOne({
  request,
  store,
  spool,
  work,
  errors,
  preferences,
}: ValidRecords): Promise<HttpResponse> {
  const { stored, brokenOff } = await storeEach(store, work.each(spool.documents()), errors);
  request.attribute(changeNote)?.add("created", { count: stored });
  if (brokenOff !== undefined) return refuseBrokenOff(stored, brokenOff, errors);
  return withApplied(answerCounts({ stored }, errors), preferences);
}

/** Counts the records that could be stored now, and adds the conflicts of the others to the errors. Stores nothing. */
async function judgeAgainstStored(
  { store, spool, work, errors, preferences }: ValidRecords,
  found: object | undefined,
): Promise<HttpResponse> {
  let valid = 0;
  const foretold = foretoldConflicts(store, store.unique);
  for await (const batch of inBatches(work.each(spool.documents()))) {
    const conflicts = await foretold(batch.map(({ document }) => document));
    for (const [i, { line }] of batch.entries()) {
      const member = conflicts[i];
      if (member === undefined) valid++;
      else errors.add(line, [heldByAnother(member)]);
      if (errors.areEnough) return refuseInvalid(errors, line);
    }
  }
  return withApplied(answerCounts({ stored: 0, valid }, errors, found), preferences);
}

/** Where records go when they have been validated. */
interface Aside extends Pick<ValidRecords, "spool" | "work" | "errors"> {
  /** Whether one error keeps all records from being stored. */
  readonly storesAll: boolean;
}

/**
 * Validates records as they arrive: keeps the valid ones on disk, and collects the errors of the others. One loop, since each
 * generator around another one takes 0.3 µs a record, which is a tenth of the time of a short one.
 *
 * @returns the line at which validation stopped because there were enough errors; undefined when all records were validated
 */
async function putAside(
  values: AsyncIterable<ListedValue>,
  validate: (value: unknown) => Awaitable<ValidationResult<Document>>,
  { spool, work, errors, storesAll }: Aside,
): Promise<number | undefined> {
  for await (const { line, value, issues: unreadable } of values) {
    const pause = work.next();
    if (pause !== undefined) await pause;
    work.countRecord();
    const validated = unreadable === undefined ? validate(value) : { issues: unreadable };
    const result = "then" in validated ? await validated : validated;
    if (result.issues !== undefined) {
      errors.add(line, result.issues);
      if (errors.areEnough) return line;
    } else if (!storesAll || errors.lines === 0) {
      const written = spool.add(line, result.value);
      if (written !== undefined) await written;
    }
  }
  return undefined;
}

function stripped(value: unknown, names: readonly string[]): unknown {
  return isJsonObject(value) ? without(value, names) : value;
}

async function* documentsOf(spool: Spool, work: BulkWork): AsyncGenerator<Document, void, undefined> {
  for await (const { document } of work.each(spool.documents())) yield document;
}
