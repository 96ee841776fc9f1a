import { type Awaitable, type HttpResponse, notFound, problemTypes } from "waymark";
import { chooseDecoder, type StandardSchemaV1 } from "waymark/content";
import { wording } from "waymark/internal";
import type { Description } from "waymark/openapi";
import type { DescribedCollection } from "../description/described-collection.ts";
import { listContentTypes } from "../description/examples.ts";
import type { ListedValue } from "../formats/list-decoder.ts";
import type { BulkCreate } from "../handlers/create.ts";
import { idempotencyField, replayedField } from "../handlers/idempotency-key.ts";
import { operation } from "../handlers/operation.ts";
import {
  type KnownPreferences,
  preferenceApplied,
  preferring,
  readPreferences,
  withApplied,
} from "../handlers/preferences.ts";
import { refuseOwner, refuseUnreadable } from "../handlers/refusals.ts";
import { creationOf } from "../handlers/sent-record.ts";
import { changeNote } from "../layers/change-note.ts";
import { Readmission } from "../layers/readmission.ts";
import { isJsonObject, without } from "../members/json-object.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import type { Document } from "../stores/contract/store.ts";
import { type BulkAdmission, requireRight } from "./admission.ts";
import { LineErrors } from "./changes/line-errors.ts";
import type { LineCounts, Lines } from "./changes/lines.ts";
import { makeChanges } from "./changes/make-changes.ts";
import { BulkWork } from "./changes/work.ts";
import { matchingOf, missingIn } from "./matching.ts";
import { bulkQuery } from "./query.ts";
import { type Repetition, repetitionOf } from "./repetition.ts";
import {
  answerCounts,
  countsOfList,
  ofManyRecords,
  refuseInvalid,
  refuseLongList,
  refuseMade,
  refuseMalformed,
  reportOfLines,
} from "./report.ts";
import type { Spool } from "./spool/spool.ts";

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
      operationId: `createMany${wording.pascalCase(many)}`,
      summary: `Store many ${many}`,
      description:
        "Stores all of them, or none and says what is wrong with each; above 20,000 in steps of 1,000. With `Prefer: handling=lenient` those that are good.",
      headers: idempotencyField,
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
  const { scope, listDecoders, bulk, serverMembers, mayRead, matching } = settings;
  const { read } = bulkQuery(settings);
  const storeMany: BulkCreate["store"] = async (request, given) => {
    const preferences = readPreferences(request, knownPreferences);
    const isLenient = preferences.get("handling") === "lenient";
    const query = read(request.search, isLenient);
    const { isDryRun, rules, most } = query;
    if ((isDryRun || rules !== undefined) && !mayRead(request, request.path)) {
      return refuseUnreadable(rules === undefined ? "dry run" : "matching");
    }
    const store = await scope.storeOf(request, "collection");
    // A list that was read can be sent back: its ids are kept, and the server sets its other members again.
    const ignored = serverMembers.filter((name) => name !== "id" && name !== store.owner?.member);
    const repetition = repetitionOf(settings, request, isDryRun);
    const { decoder, mediaType } = chooseDecoder(request.headers, listDecoders);
    const admitted = admit(request);
    try {
      const spool = await admitted.openSpool();
      const work = new BulkWork(bulk, request.signal, new Readmission(settings, request));
      const content = given ?? request.stream({ limit: bulk.maxBytes, maxExpansion: bulk.maxExpansion });
      let found: object | undefined;
      let columns: readonly string[] | undefined;
      const errors = new LineErrors(decoder.place, isLenient || isDryRun ? bulk.maxRefused : "listed", bulk.maxListed);
      const values = decoder.decode(work.piecesOf(noted(content, repetition)), {
        mediaType,
        lenient: isLenient,
        onFound: (what) => {
          found = what;
        },
        onColumns: (names) => {
          columns = names;
        },
        onNote: errors.note.bind(errors),
      });
      const { asNew = (value: unknown) => value } = decoder;
      const validateNew = creationOf(settings, preferences, store.owner);
      const validate: typeof validateNew = (value) => validateNew(asNew(value));
      const isRefusing = !isLenient && !isDryRun;
      const validated = (value: unknown) => {
        const sent = isJsonObject(value) ? without(value, ignored) : value;
        // What a line changes is validated with the record, which is read when all have arrived.
        return rules !== undefined && isJsonObject(sent) ? { value: sent } : validate(sent);
      };
      const { count, stoppedAfter } = await putAside(values, validated, { spool, work, errors });
      const mode = isLenient ? "each" : count <= bulk.maxTogether ? "whole" : "steps";
      const isLeft = rules === undefined || mode === "steps";
      if (stoppedAfter !== undefined || (isRefusing && isLeft && errors.lines > 0)) {
        return refuseInvalid(errors, stoppedAfter);
      }
      const which = { isMatched: rules !== undefined, removes: most !== undefined };
      const answer = (counts: LineCounts, what: object | undefined): HttpResponse =>
        withApplied(answerCounts(countsOfList(counts, which), errors, what), preferences);
      const begun = await repetition.begin(store, errors, found, answer);
      if (!("done" in begun)) return begun;
      const isInvalid = errors.lines > 0;
      const matched =
        rules &&
        matchingOf({
          ...rules,
          ...settings,
          alike: matching?.alike ?? [],
          adjust: matching?.adjust,
          store,
          validate,
          columns,
          began: mode === "whole" ? undefined : new Date(),
        });
      const lines: Lines = {
        ...begun,
        store,
        work,
        errors,
        read: () => spool.documents(),
        judge: (some, seen) =>
          matched?.judge(
            some.map(({ document }) => document),
            seen,
          ) ?? some.map(({ document }) => ({ kind: "create", document })),
        lockOf: matched && (({ document }) => matched.valueOf(document)),
        missing:
          matched && most !== undefined
            ? (seen) => missingIn(store, (record) => matched.isMissing(record, seen), { most, count, work })
            : undefined,
        admit: (method, id) => requireRight(settings, request, method, id),
        isDryRun,
        mode,
      };
      // Where there are too many to be removed, nothing is to be changed.
      const isTried = mode === "steps" && most !== undefined && !isDryRun;
      if (isTried)
        await makeChanges({ ...lines, isDryRun: true, keep: undefined, errors: new LineErrors() }, undefined);
      const made = await makeChanges(lines, request.attribute(changeNote));
      if (made.isOwnerless) return store.owner === undefined ? notFound() : refuseOwner(store.owner);
      const isRefused = made.brokenOff !== undefined || (isRefusing ? errors.lines > 0 : errors.areEnough);
      if (!isRefused) return answer(made, found);
      const refused = { ...made, isInvalid: made.isInvalid || isInvalid };
      return refuseMade(refused, countsOfList(made, which), errors, mode === "whole");
    } catch (error) {
      throw refuseMalformed(error);
    } finally {
      await admitted.end();
    }
  };
  return { store: storeMany, answers };
}

async function* noted(
  content: AsyncIterable<Uint8Array>,
  repetition: Repetition,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const piece of content) {
      repetition.update(piece);
      yield piece;
    }
  } catch (error) {
    throw refuseLongList(error);
  }
}

/** What is said of what stores many records. */
const answers = (place: DescribedCollection): Description => ({
  responses: {
    200: {
      description: `The ${place.nouns.many} are stored.`,
      headers: { ...preferenceApplied, ...replayedField },
      types: { "application/json": { schema: reportOfLines } },
    },
  },
  problems: [...ofManyRecords(place), problemTypes.contentExpandsTooFar],
});

/** Where valid records go, and what is wrong with the others. */
interface Aside {
  readonly spool: Spool;
  readonly work: BulkWork;
  readonly errors: LineErrors;
}

/**
 * Validates records as they arrive, and puts the valid ones aside. Returns how many these are, and the line behind which nothing was
 * read, since there were enough errors.
 */
async function putAside(
  values: AsyncIterable<ListedValue>,
  validate: (value: unknown) => Awaitable<StandardSchemaV1.Result<Document>>,
  { spool, work, errors }: Aside,
): Promise<{ readonly count: number; readonly stoppedAfter?: number }> {
  let count = 0;
  for await (const { line, value, issues: unreadable } of values) {
    const pause = work.next();
    if (pause !== undefined) await pause;
    work.countRecord();
    const validated = unreadable === undefined ? validate(value) : { issues: unreadable };
    const result = "then" in validated ? await validated : validated;
    if (result.issues !== undefined) {
      errors.add(line, result.issues);
      if (errors.areEnough) return { count, stoppedAfter: line };
    } else {
      count++;
      const written = spool.add(line, result.value);
      if (written !== undefined) await written;
    }
  }
  return { count };
}
