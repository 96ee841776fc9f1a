import { evaluatePreconditions, HttpResponse, notFound } from "waymark";
import type { CollectionSettings, ItemHandler, ItemRequest } from "../collection-settings.ts";
import { refuseParameters } from "../lists/query-parameters.ts";
import type { Document, Removal, Replacement, StoredRecord } from "../store.ts";
import { guarded } from "./guarded.ts";
import { type KnownPreferences, type Preferences, readPreferences } from "./preferences.ts";
import { parseRecordId } from "./record-id.ts";
import type { RecordScope } from "./record-scope.ts";
import { refuseId, refusePrecondition, refuseValue, requirePrecondition } from "./refusals.ts";
import { recordValidators } from "./validators.ts";

/** A change of one record, as the store makes it. */
export interface Change {
  /** The preferences that it can follow. */
  readonly preferences: KnownPreferences;
  /** Makes the change from this state, if the record still has it; or answers without having made one. */
  readonly attempt: (
    context: ChangeContext,
    current: StoredRecord,
    expectedRevision: number | undefined,
  ) => Promise<Removal | Replacement | HttpResponse>;
  /** The answer once it is made; the record as it is now, or was before it was removed. */
  readonly changed: (context: ChangeContext, record: StoredRecord) => HttpResponse;
}

/** What a change is made by and on. */
export interface ChangeContext extends RecordScope {
  readonly request: ItemRequest;
  readonly preferences: Preferences;
}

/**
 * The handler of a change: preconditions are judged before content is looked at, and hold for the very state that is
 * changed. It is attempted anew as often as another change comes between.
 */
export function changeRecord<T extends Document>(settings: CollectionSettings<T>, change: Change): ItemHandler {
  const { scope, items, requirePreconditions } = settings;
  return guarded(async (request) => {
    const id = parseRecordId(request.variables.id);
    if (id === undefined) return refuseId(request.variables.id);
    refuseParameters(request.search);
    const preferences = readPreferences(request, change.preferences);
    const conditional = preconditionFields.some((name) => request.headers.has(name));
    const context: ChangeContext = { ...(await scope(request)), request, preferences };
    let current = await context.store.find(id);
    for (;;) {
      if (current === undefined) return notFound();
      if (evaluatePreconditions(request, recordValidators(current, items)) !== "pass") return refusePrecondition();
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
          return change.changed(context, outcome.record);
        case "removed":
          return change.changed(context, current);
      }
    }
  });
}

/** Those that a change can name its state by. */
const preconditionFields = ["If-Match", "If-Unmodified-Since", "If-None-Match"];
