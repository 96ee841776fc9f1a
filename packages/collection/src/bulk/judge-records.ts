import { isDeepStrictEqual } from "node:util";
import type { HttpRequest } from "waymark";
import type { ValidationIssue } from "waymark/content";
import { uncodedTag } from "waymark/internal";
import { takeMerged } from "../handlers/changed-document.ts";
import { heldByAnother } from "../handlers/refusals.ts";
import { recordValidators } from "../handlers/selected-representation.ts";
import { type JsonObject, without } from "../members/json-object.ts";
import { type AmendmentOfMany, type ChosenRecord, patchOf } from "../patch/amendment-of-many.ts";
import type { CollectionSettings } from "../settings.ts";
import { callerKey } from "../shares/caller-shares.ts";
import type { ListChange, Store, StoredRecord } from "../stores/contract/store.ts";
import { batchesFrom } from "../stores/record-store.ts";
import { requireRight } from "./change-many.ts";
import { type ForetoldConflicts, foretoldConflicts } from "./foretold-conflicts.ts";
import type { Verdict } from "./judge-lines.ts";
import { claimOf } from "./matching.ts";
import type { ChoiceOfRecords } from "./query.ts";
import type { LineErrors } from "./report.ts";
import type { Spool } from "./spool.ts";
import type { BulkWork } from "./work.ts";

/** A record to be changed or, of one that a client has chosen, why it is not. */
export type Found =
  | { readonly record: StoredRecord; readonly etag?: string | undefined }
  | { readonly missing: number };

/** Finds the records that a query chooses, and one more than may be. */
export async function* findAll(
  request: HttpRequest<unknown>,
  store: Store,
  { selection, most }: ChoiceOfRecords,
): AsyncGenerator<readonly Found[], void, undefined> {
  const options = { signal: request.signal, caller: callerKey(request) };
  const limited = Number.isFinite(most) ? { ...selection, limit: most + 1 } : selection;
  for await (const records of batchesFrom(await store.batch(limited, options))) {
    yield records.map((record) => ({ record }));
  }
}

/** Finds the records that a client has chosen. */
export async function* findChosen(
  store: Store,
  chosen: readonly ChosenRecord[],
): AsyncGenerator<readonly Found[], void, undefined> {
  for (let start = 0; start < chosen.length; start += atOnce) {
    const some = chosen.slice(start, start + atOnce);
    const records = new Map<number, StoredRecord>();
    const filter = { member: "id", operator: "in", values: some.map(({ id }) => id) } as const;
    for await (const batch of store.list({ filters: [filter] })) for (const each of batch) records.set(each.id, each);
    yield some.map(({ id, etag }) => {
      const record = records.get(id);
      return record === undefined ? { missing: id } : { record, etag };
    });
  }
}

/** How many chosen records are looked up at once: each id is a parameter of a statement. */
const atOnce = 100;

/** A request that changes many records. */
export interface Amending {
  readonly settings: CollectionSettings;
  readonly request: HttpRequest<unknown>;
  readonly store: Store;
  readonly amendment: AmendmentOfMany;
  readonly choice: ChoiceOfRecords;
  readonly plan: Spool;
  readonly work: BulkWork;
  readonly errors: LineErrors;
}

/** What the records come to. */
export type JudgedRecords = Verdict & Readonly<Record<"matched" | "updated" | "unchanged" | "removed", number>>;

/** Puts the changes of the records aside, and adds what is wrong with them to the errors. Stops behind the most that may match. */
export async function judgeRecords(amending: Amending, found: AsyncIterable<readonly Found[]>): Promise<JudgedRecords> {
  const { store, choice, plan, work, errors } = amending;
  const foretold = choice.isDryRun ? foretoldConflicts(store, store.unique) : undefined;
  const counts = { matched: 0, updated: 0, unchanged: 0, removed: 0 };
  let isInvalid = false;
  for await (const batch of found) {
    for (const each of batch) {
      const pause = work.next();
      if (pause !== undefined) await pause;
      work.countRecord();
      if (++counts.matched > choice.most) return { ...counts, isInvalid, stoppedAfter: undefined };
      const outcome = await judge(amending, each, foretold);
      if ("issues" in outcome) {
        errors.add(outcome.id, outcome.issues);
        isInvalid ||= !outcome.isConflict;
        if (errors.areEnough) return { ...counts, isInvalid, stoppedAfter: outcome.id };
        continue;
      }
      counts[outcome.kind === "unchanged" ? "unchanged" : outcome.kind === "remove" ? "removed" : "updated"]++;
      const written = outcome.kind === "unchanged" ? undefined : plan.add(outcome.id, outcome);
      if (written !== undefined) await written;
    }
  }
  return { ...counts, isInvalid, stoppedAfter: undefined };
}

/** What a record is to become, or what is wrong with it. */
type Outcome =
  | Exclude<ListChange, { readonly kind: "create" }>
  | { readonly kind: "unchanged"; readonly id: number }
  | { readonly id: number; readonly issues: readonly ValidationIssue[]; readonly isConflict: boolean };

async function judge(
  { settings, request, store, amendment }: Amending,
  found: Found,
  foretold: ForetoldConflicts | undefined,
): Promise<Outcome> {
  const conflict = (id: number, issue: ValidationIssue): Outcome => ({ id, issues: [issue], isConflict: true });
  if ("missing" in found) return conflict(found.missing, { message: "is not there any more", code: "missing" });
  const { record, etag } = found;
  const { id, revision: expectedRevision } = record;
  const { schema, serverMembers, items } = settings;
  const isNamedBy = (tag: string): boolean =>
    recordValidators(request, record, items).entityTags?.includes(tag) === true;
  if (etag !== undefined && !isNamedBy(etag) && !isNamedBy(uncodedTag(etag))) {
    return conflict(id, { message: "has changed since it was read", code: "changed" });
  }
  requireRight(settings, request, amendment.removed ? "DELETE" : "PATCH", id);
  if (amendment.removed) return { kind: "remove", id, expectedRevision };
  const stored: JsonObject = JSON.parse(record.json);
  const before = without(stored, serverMembers);
  const patch = patchOf(amendment, before);
  if (patch.issues !== undefined) return { id, issues: patch.issues, isConflict: false };
  const rules = { schema, serverMembers, current: record, mayRead: true };
  const result = await takeMerged(rules, patch.value);
  if (result.issues !== undefined) return { id, issues: result.issues, isConflict: false };
  if (isDeepStrictEqual(result.value, before)) return { kind: "unchanged", id };
  // In the store of all owners, a document names its own.
  const owner = store.owner && { [store.owner.member]: stored[store.owner.member] };
  const document = { ...result.value, ...owner };
  const claim = claimOf({ kind: "change", record, document }, store.unique);
  const [member] = (Object.keys(claim).length > 0 && (await foretold?.([claim]))) || [];
  if (member !== undefined) return conflict(id, heldByAnother(member));
  return { kind: "replace", id, document, expectedRevision };
}
