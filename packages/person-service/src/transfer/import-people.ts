import {
  claimOf,
  type EachCreation,
  foretoldConflicts,
  type Judgement,
  type Matching,
  type MatchRules,
  matchingOf,
  type Store,
  StoreUnavailable,
} from "@waymark/collection";
import type { ValidationIssue } from "waymark/content";
import { excerpt } from "waymark/internal";
import { personMatching } from "../person/matching.ts";
import { textOf } from "../person/member-value.ts";
import { named } from "../person/named.ts";
import { type PersonSchema, serverMembers } from "../person/schema.ts";
import { isBlankRow, type PeopleFile, valuesOf } from "./people-file.ts";
import type { Refusal, Rejects } from "./rejects.ts";

export interface ImportOptions extends MatchRules {
  readonly file: PeopleFile;
  readonly schema: PersonSchema;
  /** Where people are stored; undefined for a dry run without a database. */
  readonly store: Store | undefined;
  /** Whether people are only checked, also for conflicts with stored people. */
  readonly isDryRun: boolean;
  readonly rejects: Rejects | undefined;
  readonly onRefusal: (refusal: Refusal) => void;
  /** Called with what is left out of a record. */
  readonly onNote?: ((line: number, detail: string) => void) | undefined;
  /** Called after each batch. */
  readonly onProgress: (progress: ImportProgress) => void;
  /** Asked after each batch: an import that is stopped stores no further one. */
  readonly isStopped: () => boolean;
}

export interface ImportProgress {
  /** Of the file, in bytes. */
  readonly bytes: number;
  readonly stored: number;
  readonly updated: number;
  /** Stored before as the file has them, by an earlier import of it or otherwise. */
  readonly known: number;
  /** How many of them the import knows only by the note of an earlier import of the file: it does not look whether they are still stored. */
  readonly noted: number;
  /** Left out, since they are likely stored. */
  readonly skipped: number;
  readonly refused: number;
}

export interface ImportResult extends ImportProgress {
  /** Why it ended before the file did; undefined at the end of the file. */
  readonly brokenOff: "stopped" | StoreUnavailable | undefined;
}

/**
 * Imports the people of a file, in constant memory and in batches that are each on disk before the next is stored. Each person is
 * stored under a key of the file's digest and its position in it, so that an import of the same file within 24 hours stores nobody again.
 *
 * @throws ContentError (rejects) when the file is not of its format from some place on; what came before it is stored
 */
export async function importPeople(
  options: ImportOptions,
  matching: Matching = newMatching(options),
): Promise<ImportResult> {
  const { file, rejects, onRefusal, onProgress, isStopped, store } = options;
  const progress = { bytes: 0, stored: 0, updated: 0, known: 0, noted: 0, skipped: 0, refused: 0 };
  let brokenOff: ImportResult["brokenOff"];
  let storing: Promise<void> = Promise.resolve();
  const outcomeOf = options.isDryRun ? foretelling(store, file.members.unique) : storingIn(store, file.source.digest);
  const take = async (batch: readonly Candidate[]): Promise<void> => {
    const refusals: Refusal[] = [];
    for (const [i, outcome] of (await judged(batch, matching, outcomeOf)).entries()) {
      if (outcome instanceof StoreUnavailable) brokenOff ??= outcome;
      else if (typeof outcome === "string") {
        progress[outcome]++;
        if (outcome === "noted") progress.known++;
      } else {
        progress.refused++;
        const candidate = batch[i] as Candidate; // there are as many
        const reason = outcome.issues.map((issue) => toText(withForm(issue, candidate.value, file))).join("; ");
        refusals.push({ ...candidate, reason });
      }
    }
    for (const refusal of refusals) onRefusal(refusal);
    await rejects?.add(refusals);
    onProgress(progress);
  };
  try {
    for await (const batch of batchesOf(file, (count) => (progress.bytes += count), options.onNote)) {
      // While one batch is stored, the next one is read.
      await storing;
      if (isStopped()) brokenOff ??= "stopped";
      if (brokenOff !== undefined) break;
      storing = take(batch);
      storing.catch(() => undefined); // it is awaited above or below
    }
  } finally {
    await storing;
  }
  if (brokenOff === undefined) progress.bytes = file.source.size;
  return { ...progress, brokenOff };
}

/** Makes what judges the people of one reading of a file. */
export function newMatching({ file, schema, store, upsert, absent, onMatch }: ImportOptions): Matching {
  const columns = file.columns?.members.filter((member) => member !== undefined);
  return matchingOf({
    ...personMatching,
    store,
    validate: (value) => schema["~standard"].validate(named(value)),
    schema,
    serverMembers,
    columns: () => columns,
    began: new Date(),
    upsert,
    absent,
    onMatch,
  });
}

/** A record of the file. */
interface Candidate extends Omit<Refusal, "reason"> {
  /** Of all records of the file, from 1; there may be several on a line. */
  readonly position: number;
  /** As the schema has it. */
  readonly person: unknown;
  /** Why it cannot be read. */
  readonly issues: readonly ValidationIssue[] | undefined;
}

/** Reads the records of the file, each batch as soon as the next one begins. */
async function* batchesOf(
  file: PeopleFile,
  onBytes: (count: number) => void,
  onNote: ImportOptions["onNote"],
): AsyncGenerator<readonly Candidate[], void, undefined> {
  let batch: Candidate[] = [];
  let last: { nextLine: number | undefined } | undefined;
  let position = 0;
  for await (const listed of valuesOf(file, { onBytes, onNote })) {
    const { line, value, read, issues } = listed;
    if (last !== undefined) last.nextLine = line;
    last = undefined;
    if (batch.length >= batchLength) {
      yield batch;
      batch = [];
    }
    position++;
    if (isBlankRow(file, listed)) continue;
    const candidate = { position, line, nextLine: undefined, value: read, person: value, issues };
    batch.push(candidate);
    last = candidate;
  }
  if (batch.length > 0) yield batch;
}

/** Each is a commit, for which other writers wait. */
const batchLength = 2000;

/** Returns the issue with a date that is not of the form, by that form; every other issue as it is. */
function withForm(issue: ValidationIssue, record: unknown, { members, dates }: PeopleFile): ValidationIssue {
  const { form, example, read } = dates;
  const name = (issue.path ?? []).join(".");
  if (members.byName.get(name)?.kind !== "date") return issue;
  const text = textOf(record, name)?.trim() ?? "";
  if (read(text) !== undefined || /^\d{4}-\d\d-\d\d$/.test(text)) return issue;
  return { ...issue, message: `must be a date as ${form} such as ${example}, not ${excerpt(text)}` };
}

type Outcome =
  | "stored"
  | "updated"
  | "known"
  | "noted"
  | "skipped"
  | { readonly issues: readonly ValidationIssue[] }
  | StoreUnavailable;

/** Returns what becomes of judged people; the positions are those of the people in the file. */
type OutcomeOf = (judgements: readonly Judgement[], positions: readonly number[]) => Promise<readonly Outcome[]>;

async function judged(
  batch: readonly Candidate[],
  matching: Matching,
  outcomesOf: OutcomeOf,
): Promise<readonly Outcome[]> {
  const readable = batch.filter(({ issues }) => issues === undefined);
  try {
    const judgements = await matching.judge(readable.map(({ person }) => person));
    const positions = readable.map(({ position }) => position);
    const outcomes = (await outcomesOf(judgements, positions)).values();
    return batch.map(({ issues }) => (issues === undefined ? (outcomes.next().value as Outcome) : { issues })); // as many
  } catch (error) {
    if (error instanceof StoreUnavailable) return [error];
    throw error;
  }
}

/** Returns what would become of people. */
function foretelling(store: Store | undefined, unique: readonly string[]): OutcomeOf {
  const conflicts = foretoldConflicts(store, unique);
  return async (judgements) => {
    const members = await conflicts(judgements.map((judgement) => claimOf(judgement, unique)));
    return judgements.map((judgement, i): Outcome => {
      const member = members[i];
      return member === undefined ? foretold(judgement) : alreadyUsed(member);
    });
  };
}

function foretold(judgement: Judgement): Outcome {
  switch (judgement.kind) {
    case "create":
      return "stored";
    case "change":
      return "updated";
    case "unchanged":
      return "known";
    case "skip":
      return "skipped";
    case "refuse":
      return judgement;
  }
}

/** Changes people who are stored, and stores the others, noting their positions in the file. */
function storingIn(store: Store | undefined, digest: string): OutcomeOf {
  if (store === undefined) throw new TypeError("people are stored in a store");
  return async (judgements, positions) => {
    const outcomes = judgements.map(foretold);
    const change = async (judgement: Judgement, i: number): Promise<void> => {
      if (judgement.kind === "change") outcomes[i] = await changedIn(store, judgement);
    };
    await Promise.all(judgements.map(change));
    const people = judgements.flatMap((judgement, i) =>
      judgement.kind === "create" ? [{ person: judgement.document, position: positions[i] ?? 0, i }] : [],
    );
    const creations = await store.createEach(
      people.map(({ person }) => person),
      { source: { key: `import ${digest}`, positions: people.map(({ position }) => position) } },
    );
    for (const [n, creation] of creations.entries()) outcomes[people[n]?.i ?? 0] = toOutcome(creation); // there are as many
    return outcomes;
  };
}

type Change = Extract<Judgement, { readonly kind: "change" }>;

async function changedIn(store: Store, { record, document }: Change): Promise<Outcome> {
  try {
    const replacement = await store.replace(record.id, document, record.revision);
    if (replacement.kind === "replaced") return replacement.record.revision === record.revision ? "known" : "updated";
    if (replacement.kind === "conflict") return alreadyUsed(replacement.member);
    return { issues: [{ message: "was changed by another program at the same time; import it again" }] };
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}

const alreadyUsed = (member: string): Outcome => ({
  // An id that a removed person had is never used again.
  issues: [{ message: `is ${member === "id" ? "or was" : "already"} used by another person`, path: member.split(".") }],
});

function toOutcome(settled: PromiseSettledResult<EachCreation>): Outcome {
  if (settled.status === "rejected") {
    if (settled.reason instanceof StoreUnavailable) return settled.reason;
    throw settled.reason;
  }
  const creation = settled.value;
  switch (creation.kind) {
    case "created":
      return "stored";
    case "repeated":
      return "noted";
    case "conflict":
      return alreadyUsed(creation.member);
    case "ownerless":
      throw new Error("People have no owner");
  }
}

const toText = ({ path = [], message }: ValidationIssue): string =>
  [path.map((key) => (typeof key === "object" ? key.key : key)).join("."), message].filter(Boolean).join(" ");
