import { isDeepStrictEqual } from "node:util";
import { HttpError, type HttpRequest } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { compress } from "waymark/filters";
import { wording } from "waymark/internal";
import { recordValidators } from "../handlers/selected-representation.ts";
import { takeMerged } from "../handlers/sent-record.ts";
import { type JsonObject, without } from "../members/json-object.ts";
import { type AmendmentOfMany, type ChosenRecord, patchOf } from "../patch/amendment-of-many.ts";
import type { CollectionSettings } from "../settings.ts";
import { callerKey } from "../shares/caller-shares.ts";
import type { Store, StoredRecord } from "../stores/contract/store.ts";
import { batchesFrom } from "../stores/record-store.ts";
import { requireRight } from "./admission.ts";
import type { Judgement } from "./changes/lines.ts";
import type { ChoiceOfRecords } from "./query.ts";
import { refuseChanges } from "./report.ts";
import type { SpooledDocument } from "./spool/spool.ts";

/** A record to be changed or, of one that a client has chosen, why it is not. */
export type Found =
  | { readonly record: StoredRecord; readonly etag?: string | undefined }
  | { readonly missing: number };

/** Finds the records that a query chooses. Throws HttpError where there are more than may match. */
export async function* findAll(
  request: HttpRequest<unknown>,
  store: Store,
  { selection, most }: ChoiceOfRecords,
): AsyncGenerator<SpooledDocument, void, undefined> {
  let matched = 0;
  const options = { signal: request.signal, caller: callerKey(request) };
  for await (const records of batchesFrom(await store.batch(selection, options))) {
    for (const record of records) {
      if (++matched > most) throw new HttpError(refuseExcess(most));
      yield foundAt(record.id, { record });
    }
  }
}

export function refuseExcess(most: number): ReturnType<typeof refuseChanges> {
  return refuseChanges(
    `more than ${wording.withCommas(most)} records match, and most allows ${wording.withCommas(most)}`,
  );
}

/** Finds the records that a client has chosen. */
export async function* findChosen(
  store: Store,
  chosen: readonly ChosenRecord[],
): AsyncGenerator<SpooledDocument, void, undefined> {
  for (let start = 0; start < chosen.length; start += atOnce) {
    const some = chosen.slice(start, start + atOnce);
    const records = new Map<number, StoredRecord>();
    const filter = { member: "id", operator: "in", values: some.map(({ id }) => id) } as const;
    for await (const batch of store.list({ filters: [filter] })) for (const each of batch) records.set(each.id, each);
    for (const { id, etag } of some) {
      const record = records.get(id);
      yield foundAt(id, record === undefined ? { missing: id } : { record, etag });
    }
  }
}

/** The line of a record is its id. */
const foundAt = (id: number, found: Found): SpooledDocument => ({
  line: id,
  document: found,
  size: "record" in found ? found.record.json.length : 0,
});

/** How many chosen records are looked up at once: each id is a parameter of a statement. */
const atOnce = 100;

/** A request that changes many records. */
export interface Amending {
  readonly settings: CollectionSettings;
  readonly request: HttpRequest<unknown>;
  readonly store: Store;
  readonly amendment: AmendmentOfMany;
}

/** Judges what a record is to become. */
export async function judgeRecord({ settings, request, store, amendment }: Amending, found: Found): Promise<Judgement> {
  if ("missing" in found) return refusal([{ message: "is not there any more", code: "missing" }], true);
  const { record, etag } = found;
  const { schema, serverMembers, items } = settings;
  const isNamedBy = (tag: string): boolean =>
    recordValidators(request, record, items).entityTags?.includes(tag) === true;
  if (etag !== undefined && !isNamedBy(etag) && !isNamedBy(compress.uncodedTag(etag))) {
    return refusal([{ message: "has changed since it was read", code: "changed" }], true);
  }
  requireRight(settings, request, amendment.removed ? "DELETE" : "PATCH", record.id);
  if (amendment.removed) return { kind: "remove", record };
  const stored: JsonObject = JSON.parse(record.json);
  const before = without(stored, serverMembers);
  const patch = patchOf(amendment, before);
  if (patch.issues !== undefined) return refusal(patch.issues, false);
  const rules = { schema, serverMembers, current: record, mayRead: true };
  const result = await takeMerged(rules, patch.value);
  if (result.issues !== undefined) return refusal(result.issues, false);
  if (isDeepStrictEqual(result.value, before)) return { kind: "unchanged", record };
  // In the store of all owners, a document names its own.
  const owner = store.owner && { [store.owner.member]: stored[store.owner.member] };
  return { kind: "change", record, document: { ...result.value, ...owner } };
}

const refusal = (issues: readonly StandardSchemaV1.Issue[], isConflict: boolean): Judgement => ({
  kind: "refuse",
  issues,
  isConflict,
});
