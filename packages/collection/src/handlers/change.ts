import { HttpResponse, noContent, notFound, ok } from "waymark";
import { type Decoder, jsonDecoder } from "waymark/content";
import { evaluatePreconditions, type HeaderList, type MediaType, parseHttpDate } from "waymark/fields";
import type { Description } from "waymark/openapi";
import { conditionalChange, problemsOfReaders, stateFields } from "../description/conditions.ts";
import type { DescribedCollection } from "../description/described-collection.ts";
import { contentTypes, type Types } from "../description/examples.ts";
import { noteChange } from "../layers/change-note.ts";
import { refuseParameters } from "../lists/parameters.ts";
import { jsonPatchSchema } from "../patch/json-patch.ts";
import { collectionProblemTypes as types } from "../problem-types.ts";
import { collectionUrl, requireRecordId } from "../record-scope.ts";
import type { CollectionSettings, ItemHandler, ItemRequest } from "../settings.ts";
import type { Removal, Replacement, Store, StoredRecord } from "../stores/contract/store.ts";
import { changesRecords, operation } from "./operation.ts";
import {
  answerWritten,
  done,
  type KnownPreferences,
  type Preferences,
  preferenceApplied,
  preferredSchema,
  preferring,
  readPreferences,
  returnPreferences,
  writePreferences,
  written,
} from "./preferences.ts";
import { refusePart, refusePrecondition, refuseValue, requirePrecondition } from "./refusals.ts";
import { recordValidators } from "./selected-representation.ts";
import { type Amendment, amendmentOf, replacementOf } from "./sent-record.ts";

/** A kind of change to one record. */
interface Change {
  /** The preferences that the change can follow. */
  readonly preferences: KnownPreferences;
  /** Changes the record if it is still in this state; or returns an answer, and changes nothing. */
  readonly attempt: (
    context: ChangeContext,
    current: StoredRecord,
    expectedRevision: number | undefined,
  ) => Promise<Removal | Replacement | HttpResponse>;
  /** Makes the answer after the change, from the record as it is now or was before it was removed. */
  readonly changed: (context: ChangeContext, record: StoredRecord) => HttpResponse;
  /** Describes what it takes and answers. */
  readonly describe: (place: DescribedCollection) => Description;
}

/** The request for a change and the records that it concerns. */
interface ChangeContext {
  readonly request: ItemRequest;
  /** The store of the records of one owner, where the records have owners. */
  readonly store: Store;
  /** The URL of the collection for clients. */
  readonly url: string;
  readonly preferences: Preferences;
}

/**
 * Makes the handler of a change. Preconditions are evaluated before the content is read, and hold for exactly the state that is
 * changed: when another change comes first, the change is attempted again.
 */
function changeRecord(settings: CollectionSettings, change: Change): ItemHandler {
  const { scope, items, requirePreconditions, afterStored } = settings;
  const describe = (place: DescribedCollection): readonly Description[] => [
    conditionalChange(place),
    change.describe(place),
    preferring(change.preferences),
    changesRecords,
  ];
  return operation(settings, "record", describe, async (request) => {
    const id = requireRecordId(request.variables.id);
    refuseParameters(request.search);
    const preferences = readPreferences(request, change.preferences);
    const conditional = namesState(request.headers);
    const found = await scope.storeOf(request, "record");
    let current = await found.find(id);
    if (current === undefined) return notFound();
    const store = ofItsOwner(found, current);
    const context: ChangeContext = { store, url: collectionUrl(request, "record"), request, preferences };
    for (;;) {
      const validators = recordValidators(request, current, items);
      if (evaluatePreconditions(request, validators) !== "pass")
        return refusePrecondition(request, validators.entityTag);
      if (requirePreconditions && !conditional) return requirePrecondition();
      const outcome = await change.attempt(context, current, conditional ? current.revision : undefined);
      if (outcome instanceof HttpResponse) return outcome;
      switch (outcome.kind) {
        case "missing":
          return notFound();
        case "conflict":
          return refuseValue(outcome.member);
        case "changed":
          current = outcome.record;
          break;
        case "replaced":
          noteChange(request, "changed", id);
          if (outcome.record.revision !== current.revision) await afterStored(outcome.record, request);
          return change.changed(context, outcome.record);
        case "removed":
          noteChange(request, "removed", id);
          return change.changed(context, current);
      }
    }
  });
}

/** Returns the store of the records of this one's owner, which never changes. */
function ofItsOwner(store: Store, { json }: StoredRecord): Store {
  return store.owner === undefined ? store : store.within(JSON.parse(json)[store.owner.member]);
}

/** Returns whether a request names the state that it changes. A malformed date names none, since it is ignored (RFC 9110 §13.1.4). */
function namesState(headers: HeaderList): boolean {
  if (headers.has("If-Match") || headers.has("If-None-Match")) return true;
  return parseHttpDate(headers.get("If-Unmodified-Since") ?? "") !== undefined;
}

/** PUT of a record. */
export function replaceRecord(settings: CollectionSettings): ItemHandler {
  const { decoders, serverMembers, mayRead } = settings;
  return changeRecord(settings, {
    preferences: writePreferences(settings),
    async attempt({ request, store, preferences }, current, expectedRevision) {
      if (request.headers.has("Content-Range")) return refusePart();
      const schema = preferredSchema(settings, preferences);
      const rules = { schema, serverMembers, current, mayRead: mayRead(request, request.path) };
      const validator = replacementOf(rules);
      const document = await request.body(validator, { decoders });
      return store.replace(current.id, document, expectedRevision);
    },
    changed({ request, url, preferences }, record) {
      // No validators, because the record is not stored exactly as it was sent (RFC 9110 §9.3.4).
      const answered = { record, path: request.path, url, validators: false };
      return answerWritten(request, preferences, settings, noContent(), answered);
    },
    describe: (place) => ({
      operationId: `replace${place.nouns.schema}`,
      summary: `Replace a ${place.nouns.one}`,
      description: "Replaces the whole record, and never creates one. What was read can be sent back.",
      content: { types: contentTypes(place, place.schemas.replacing) },
      responses: { 200: written(place), 204: { description: "It is replaced.", headers: preferenceApplied } },
      problems: [types.partialContent, types.conflict],
    }),
  });
}

/** The media type of a JSON merge patch (RFC 7396 §4). */
export const mergePatchType = "application/merge-patch+json";

/** The media type of a JSON Patch (RFC 6902 §6). */
export const jsonPatchType = "application/json-patch+json";

/** The media types that `amendRecord` reads. Plain JSON counts as a merge patch, because many clients send one that way. */
export const amendTypes: readonly string[] = [mergePatchType, jsonPatchType, "application/json"];

function changeTypes({ example, schemas }: DescribedCollection): Types {
  const [[name, value] = []] = Object.entries(example ?? {});
  const patch = { schema: schemas.merged, ...(name !== undefined && { example: { [name]: value } }) };
  const operation = { op: "replace", path: `/${name?.replaceAll("~", "~0").replaceAll("/", "~1")}`, value };
  return {
    [mergePatchType]: patch,
    [jsonPatchType]: { schema: jsonPatchSchema, ...(name !== undefined && { example: [operation] }) },
    "application/json": patch,
  };
}

/** PATCH of a record. */
export function amendRecord(settings: CollectionSettings): ItemHandler {
  const { items, serverMembers, mayRead } = settings;
  return changeRecord(settings, {
    preferences: writePreferences(settings),
    async attempt({ request, store, preferences }, current) {
      const schema = preferredSchema(settings, preferences);
      const rules = { schema, serverMembers, current, mayRead: mayRead(request, request.path) };
      const validator = amendmentOf(rules);
      const document = await request.body(validator, { decoders: amendmentDecoders });
      // The document was made from this state and fits no other.
      return store.replace(current.id, document, current.revision);
    },
    changed({ request, url, preferences }, record) {
      const answer = noContent().withHeader("ETag", recordValidators(request, record, items).entityTag);
      const answered = { record, path: request.path, url, validators: true };
      return answerWritten(request, preferences, settings, answer, answered);
    },
    describe(place) {
      const answer = written(place);
      return {
        operationId: `change${place.nouns.schema}`,
        summary: `Change a ${place.nouns.one}`,
        description: "Changes members of the record by a JSON merge patch or a JSON Patch, all of it or nothing.",
        content: { types: changeTypes(place) },
        responses: {
          200: { ...answer, headers: { ...answer.headers, ...stateFields } },
          204: { description: "It is changed.", headers: { ...preferenceApplied, ETag: stateFields.ETag } },
        },
        problems: [types.conflict, types.patchConflict, types.patchTooLarge, ...problemsOfReaders(place)],
      };
    },
  });
}

const amendmentDecoders: readonly Decoder[] = [
  amendmentDecoder([mergePatchType, "application/json"], "merge"),
  amendmentDecoder([jsonPatchType], "operations"),
];

function amendmentDecoder(mediaTypes: readonly string[], kind: Amendment["kind"]): Decoder {
  const decode = (content: Uint8Array, mediaType: MediaType): Amendment => ({
    kind,
    patch: jsonDecoder.decode(content, mediaType),
  });
  return { ...jsonDecoder, mediaTypes, decode };
}

/** DELETE of a record. */
export function removeRecord(settings: CollectionSettings): ItemHandler {
  return changeRecord(settings, {
    preferences: returnPreferences,
    attempt({ store, preferences }, current, expectedRevision) {
      // The record in the answer must be the one that was removed.
      const isSentBack = preferences.get("return") === "representation";
      return store.remove(current.id, isSentBack ? current.revision : expectedRevision);
    },
    changed({ request, url, preferences }, record) {
      const answered = { record, path: request.path, url, validators: false, removed: true };
      return answerWritten(request, preferences, settings, ok(), answered);
    },
    describe: (place) => ({
      operationId: `remove${place.nouns.schema}`,
      summary: `Remove a ${place.nouns.one}`,
      description: "No record has its id from then on.",
      responses: { 200: done("It is removed.", place) },
    }),
  });
}
