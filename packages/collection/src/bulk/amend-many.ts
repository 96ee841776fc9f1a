import { HttpError, type HttpResponse, notFound } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { evaluatePreconditions } from "waymark/fields";
import { wording } from "waymark/internal";
import type { Description } from "waymark/openapi";
import { conditionalChange } from "../description/conditions.ts";
import type { DescribedCollection } from "../description/described-collection.ts";
import type { Types } from "../description/examples.ts";
import { idempotencyField, replayedField } from "../handlers/idempotency-key.ts";
import { operation } from "../handlers/operation.ts";
import { preferring, readPreferences } from "../handlers/preferences.ts";
import { refusePrecondition, refuseUnreadable, requirePrecondition } from "../handlers/refusals.ts";
import { listValidators } from "../handlers/selected-representation.ts";
import { changeNote } from "../layers/change-note.ts";
import { Readmission } from "../layers/readmission.ts";
import { unknownMembers } from "../members/object-schema.ts";
import {
  type AmendmentOfMany,
  amendmentOfManyDecoder,
  changeOfManySchema,
  validateAmendment,
} from "../patch/amendment-of-many.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import { callerKey } from "../shares/caller-shares.ts";
import type { BulkAdmission } from "./admission.ts";
import { LineErrors } from "./changes/line-errors.ts";
import type { LineCounts } from "./changes/lines.ts";
import { makeChanges } from "./changes/make-changes.ts";
import { BulkWork } from "./changes/work.ts";
import { type Found, findAll, findChosen, judgeRecord, refuseExcess } from "./judge-records.ts";
import { choiceQuery } from "./query.ts";
import { repetitionOf } from "./repetition.ts";
import { answerCounts, ofManyRecords, refuseMade, reportOfRecords } from "./report.ts";

/**
 * Makes the handler for a PATCH of a collection: changes or removes the records that the query finds, or those that the content
 * names, all or none. What they are to become is put aside on disk, so that the store has them in one transaction.
 */
export function amendMany(settings: CollectionSettings, admit: BulkAdmission): CollectionHandler {
  const { scope, bulk, lists, mayRead, requirePreconditions } = settings;
  const { read } = choiceQuery(settings);
  return operation(settings, "collection", describe, async (request) => {
    readPreferences(request, {});
    if (!mayRead(request, request.path)) return refuseUnreadable("change of many");
    const store = await scope.storeOf(request, "collection");
    const requireState = async (): Promise<string> => {
      const validators = listValidators(request, store, await store.state(), lists, lists[0]);
      if (evaluatePreconditions(request, validators) !== "pass")
        throw new HttpError(refusePrecondition(request, validators.entityTag));
      return validators.entityTag;
    };
    const state = await requireState();
    const amendment = await request.body(amendmentFor(settings), { decoders });
    const { records } = amendment;
    const choice = read(request.search, records !== undefined);
    const isConditional = request.headers.has("If-Match") || records?.every(({ etag }) => etag !== undefined) === true;
    if (requirePreconditions && !isConditional) return requirePrecondition();
    const { isDryRun, most, selection } = choice;
    const repetition = repetitionOf(settings, request, isDryRun);
    repetition.update(await request.bytes());
    const admitted = admit(request);
    try {
      const work = new BulkWork(bulk, request.signal, new Readmission(settings, request));
      const errors = new LineErrors("id", isDryRun ? bulk.maxRefused : "listed");
      const counted = Number.isFinite(most) ? most : bulk.maxTogether;
      const matched =
        records?.length ?? (await store.count(selection, { most: counted + 1, caller: callerKey(request) }));
      if (matched > most) return refuseExcess(most);
      const answer = ({ created: _created, skipped: _skipped, ...counts }: LineCounts): HttpResponse => {
        const { updated, unchanged, removed } = counts;
        return answerCounts(
          { matched: updated + unchanged + removed + errors.lines, updated, unchanged, removed },
          errors,
        );
      };
      const begun = await repetition.begin(store, errors, undefined, answer);
      if (!("done" in begun)) return begun;
      const amending = { settings, request, store, amendment };
      const mode = matched > bulk.maxTogether ? "steps" : "whole";
      // All that was read is of the state that the client names, if that is still the present one.
      let isPresent = false;
      const made = await makeChanges(
        {
          ...begun,
          store,
          work,
          errors,
          async *read() {
            const found = records === undefined ? findAll(request, store, choice) : findChosen(store, records);
            for await (const each of found) {
              work.countRecord();
              yield each;
            }
          },
          judge: (some) => Promise.all(some.map(({ document }) => judgeRecord(amending, document as Found))), // by `read`
          async confirm() {
            if (mode === "whole") isPresent = (await requireState()) === state;
          },
          isDryRun,
          mode,
        },
        request.attribute(changeNote),
      );
      if (made.isOwnerless) return notFound();
      if (made.brokenOff === undefined && (isDryRun || errors.lines === 0)) {
        return isDryRun && isPresent ? answer(made).withHeader("ETag", state) : answer(made);
      }
      const { updated, unchanged, removed } = made;
      return refuseMade(made, { updated, unchanged, removed }, errors, mode === "whole");
    } finally {
      await admitted.end();
    }
  });
}

const describe = (place: DescribedCollection): readonly Description[] => {
  const { many } = place.nouns;
  return [
    conditionalChange(place, { "If-Match": { description: "The ETag that the list must still have, else 412." } }),
    preferring({}),
    {
      operationId: `changeMany${wording.pascalCase(many)}`,
      summary: `Change or remove many ${many}`,
      description: `Changes the ${many} that the filters leave, or those that the content names: all of them, or none.`,
      headers: idempotencyField,
      query: choiceQuery(place).describe(),
      content: { types: changeTypes(place) },
      responses: {
        200: {
          description: `The ${many} are changed.`,
          headers: { ETag: { description: "The state of the list that was judged; of a dry run." }, ...replayedField },
          types: { "application/json": { schema: reportOfRecords } },
        },
      },
      problems: ofManyRecords(place),
    },
  ];
};

// Made once: what chooses among them by a Content-Type is kept with the list.
const decoders = [amendmentOfManyDecoder];

function changeTypes({ example: record, schemas }: DescribedCollection): Types {
  const [member] = Object.entries(record ?? {});
  const schema = changeOfManySchema(schemas.merged);
  const example = member && { records: [{ id: 1 }], merge: Object.fromEntries([member]) };
  return Object.fromEntries(
    amendmentOfManyDecoder.mediaTypes.map((type) => [type, { schema, ...(example && { example }) }]),
  );
}

/** Validates an amendment and, once for all records, the names in its merge patch: of an unknown one, each would be refused. */
function amendmentFor({ schema, serverMembers }: CollectionSettings) {
  return async (value: unknown): Promise<StandardSchemaV1.Result<AmendmentOfMany>> => {
    const result = validateAmendment(value);
    if (result.issues !== undefined) return result;
    const { merge } = result.value;
    const set = Object.keys(merge).filter((name) => merge[name] !== null && !serverMembers.includes(name));
    const names = unknownMembers(schema, set);
    if (names.length === 0) return result;
    const unknown = Object.fromEntries(names.map((name) => [name, merge[name]]));
    const { issues = [] } = await schema["~standard"].validate(unknown);
    const ofNames = issues.filter(({ path: [first] = [] }) => Object.hasOwn(unknown, String(first)));
    return ofNames.length === 0
      ? result
      : { issues: ofNames.map((issue) => ({ ...issue, path: ["merge", ...(issue.path ?? [])] })) };
  };
}
