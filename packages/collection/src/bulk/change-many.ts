import { HttpError, type HttpRequest, type HttpResponse, notFound, problem, problemTypes } from "waymark";
import { withCommas } from "waymark/internal";
import { type ChangeNote, changeNote } from "../change-note.ts";
import { heldByAnother } from "../handlers/refusals.ts";
import type { MatchRules } from "../match-rules.ts";
import type { CollectionSettings } from "../settings.ts";
import type { ListChange, Store } from "../stores/contract/store.ts";
import { type Judged, type JudgedLines, judgeLines } from "./judge-lines.ts";
import { type MatchingOptions, matchingOf } from "./matching.ts";
import {
  answerCounts,
  type ChangeCounts,
  type LineErrors,
  refuseBrokenOff,
  refuseChanges,
  refuseConflicts,
  refuseInvalid,
} from "./report.ts";
import { documentsAt, type Spool, type SpooledDocument } from "./spool.ts";
import { type EachOutcome, storeEach } from "./store-each.ts";

/** A request whose lines are compared with the stored records. */
export interface MatchedRequest
  extends Pick<JudgedLines, "store" | "lines" | "plan" | "work" | "errors" | "isDryRun" | "most">,
    Pick<MatchingOptions, "validate"> {
  readonly request: HttpRequest<unknown>;
  readonly lenient: boolean;
  readonly columns: readonly string[] | undefined;
  /** What a decoder found out of the content. */
  readonly found: object | undefined;
}

/** Makes the stored records say what the lines say: all of it or nothing, unless the request is lenient. */
export async function changeMany(
  settings: CollectionSettings,
  rules: MatchRules,
  { request, lenient, columns, found, validate, ...lines }: MatchedRequest,
): Promise<HttpResponse> {
  const { schema, serverMembers, matching } = settings;
  const { store, plan, errors, isDryRun, most } = lines;
  const judged = await judgeLines({
    ...lines,
    matching: matchingOf({
      ...rules,
      alike: matching?.alike ?? [],
      adjust: matching?.adjust,
      store,
      validate,
      schema,
      serverMembers,
      columns: () => columns,
    }),
    admit: (method, id) => requireRight(settings, request, method, id),
  });
  const { created, updated, unchanged, skipped, missing } = judged;
  const counts = { updated, unchanged, skipped };
  if (judged.stoppedAfter !== undefined) return refuseInvalid(errors, judged.stoppedAfter);
  if (isDryRun) return answerCounts({ stored: 0, valid: created, ...counts, missing }, errors, found);
  if (lenient) return await changeEach(request, store, plan, lines, counts);
  if (errors.lines > 0) return judged.isInvalid ? refuseInvalid(errors, undefined) : refuseConflicts(errors);
  const changed = (): HttpResponse => answerCounts({ stored: created, ...counts, removed: missing }, errors);
  return refuseRemovals(judged, most) ?? (await changeAll(request, store, plan, lines, changed));
}

/** @throws HttpError 403 where the caller of a request for the collection may not make this change to the record */
export function requireRight(
  { mayChange }: CollectionSettings,
  request: HttpRequest<unknown>,
  method: "PATCH" | "DELETE",
  id: number,
): void {
  if (mayChange(request, method, `${request.path}/${id}`)) return;
  const verb = method === "PATCH" ? "change" : "remove";
  const detail = `Nothing was changed: the request would ${verb} the record ${id}, for which these credentials have no right.`;
  throw new HttpError(problem(problemTypes.forbidden, { detail }));
}

function refuseRemovals({ created, updated, unchanged, skipped, missing = 0 }: Judged, most: number | undefined) {
  if (most === undefined) return undefined;
  if (created + updated + unchanged + skipped === 0)
    return refuseChanges("the list has no records, and all would be removed");
  if (missing <= most) return undefined;
  const are = missing === 1 ? "1 record is" : `${withCommas(missing)} records are`;
  return refuseChanges(`${are} missing in the list, and remove-missing allows ${most}`, { missing });
}

type Lines = Pick<JudgedLines, "work"> & { readonly errors: LineErrors };

/**
 * Makes the changes that were put aside, all or none.
 *
 * @param answer makes the answer when all are made
 */
export async function changeAll(
  request: HttpRequest<unknown>,
  store: Store,
  plan: Spool,
  { work, errors }: Lines,
  answer: () => HttpResponse,
): Promise<HttpResponse> {
  const note = request.attribute(changeNote);
  const outcome = await store.changeAll(changesOf(work.each(plan.documents())));
  switch (outcome.kind) {
    case "created":
      if (note !== undefined) await noteAll(note, plan);
      return answer();
    case "ownerless":
      return notFound();
    case "changed": {
      const [found] = await Array.fromAsync(documentsAt(work.each(plan.documents()), [outcome]));
      const line = found?.[1].line ?? 0;
      const named = errors.place === "id" ? `the record ${line}` : `the record of ${errors.place} ${line}`;
      const what = line === 0 ? "a record to be removed" : named;
      return refuseChanges(`another request changed ${what} at the same time; send this one again`);
    }
    case "refused":
      for await (const [{ member }, { line }] of documentsAt(work.each(plan.documents()), outcome.conflicts)) {
        errors.add(line, [heldByAnother(member)]);
      }
      return refuseConflicts(errors);
  }
}

/** Notes changes that were made together, which are on disk. */
async function noteAll(note: ChangeNote, plan: Spool): Promise<void> {
  for await (const spooled of plan.documents()) noteOne(note, changeOf(spooled));
}

function noteOne(note: ChangeNote | undefined, change: ListChange): void {
  note?.add(nounsOf[change.kind], change.kind === "create" ? {} : { id: change.id });
}

const nounsOf = { create: "created", replace: "changed", remove: "removed" } as const;

async function changeEach(
  request: HttpRequest<unknown>,
  store: Store,
  plan: Spool,
  { work, errors }: Lines,
  counts: ChangeCounts,
): Promise<HttpResponse> {
  const made = { create: 0, replace: 0, remove: 0 };
  const note = request.attribute(changeNote);
  const { stored, brokenOff } = await storeEach(store, work.each(plan.documents()), errors, async (some) => {
    const outcomes = await Promise.allSettled(some.map((spooled) => make(store, changeOf(spooled))));
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === "rejected" || !isMade(outcome.value)) continue;
      const change = changeOf(some[i] as SpooledDocument); // as many
      made[change.kind]++;
      noteOne(note, change);
    }
    return outcomes;
  });
  if (brokenOff !== undefined) return refuseBrokenOff(stored, brokenOff, errors);
  return answerCounts({ stored: made.create, ...counts, updated: made.replace }, errors);
}

function make(store: Store, change: ListChange): Promise<EachOutcome> {
  switch (change.kind) {
    case "create":
      return store.create(change.document) as Promise<EachOutcome>; // without a key, it is not repeated
    case "replace":
      return store.replace(change.id, change.document, change.expectedRevision);
    case "remove":
      return store.remove(change.id, change.expectedRevision);
  }
}

const isMade = ({ kind }: EachOutcome): boolean => kind === "created" || kind === "replaced" || kind === "removed";

/** The changes are put aside as they are made. */
const changeOf = ({ document }: SpooledDocument): ListChange => document as ListChange;

async function* changesOf(documents: AsyncIterable<SpooledDocument>): AsyncGenerator<ListChange, void, undefined> {
  for await (const spooled of documents) yield changeOf(spooled);
}
