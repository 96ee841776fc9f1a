import { type Document, type EachCreation, HeldValues, type Store, StoreUnavailable } from "@waymark/collection";
import type { ValidationIssue } from "waymark/content";
import { excerpt } from "waymark/internal";
import { textOf } from "../person/member-value.ts";
import { type Person, uniqueMembers } from "../person/members.ts";
import type { PersonSchema } from "../person/schema.ts";
import type { DateReader } from "./dates.ts";
import { type PeopleFile, valuesOf } from "./people-file.ts";
import type { Refusal, Rejects } from "./rejects.ts";
import { kindOf } from "./values.ts";

export interface ImportOptions {
  readonly file: PeopleFile;
  readonly schema: PersonSchema;
  /** Where people are stored; undefined for a dry run without a database. */
  readonly store: Store | undefined;
  /** Whether people are only checked, also for conflicts with stored people. */
  readonly isDryRun: boolean;
  /** The unique member by which a person changes the stored one that has the same value, in the members that the file has. */
  readonly upsert: string | undefined;
  readonly rejects: Rejects | undefined;
  readonly onRefusal: (refusal: Refusal) => void;
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
  /** Stored by an earlier import of the same file. */
  readonly known: number;
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
export async function importPeople(options: ImportOptions): Promise<ImportResult> {
  const { file, rejects, onRefusal, onProgress, isStopped } = options;
  const progress = { bytes: 0, stored: 0, updated: 0, known: 0, refused: 0 };
  let brokenOff: ImportResult["brokenOff"];
  let storing: Promise<void> = Promise.resolve();
  const held = new HeldValues();
  const store = async (batch: readonly Candidate[]): Promise<void> => {
    const outcomes = options.isDryRun ? await foretold(batch, options, held) : await stored(batch, options);
    const refusals: Refusal[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome instanceof StoreUnavailable) brokenOff ??= outcome;
      else if (typeof outcome === "string") progress[outcome]++;
      else {
        progress.refused++;
        refusals.push({ ...(batch[i] as Candidate), reason: outcome.reason }); // there are as many
      }
    }
    for (const refusal of refusals) onRefusal(refusal);
    await rejects?.add(refusals);
    onProgress(progress);
  };
  try {
    for await (const batch of batchesOf(
      candidatesOf(options, (count) => (progress.bytes += count)),
      options.upsert,
    )) {
      // While one batch is stored, the next one is read.
      await storing;
      if (isStopped()) brokenOff ??= "stopped";
      if (brokenOff !== undefined) break;
      storing = store(batch);
      storing.catch(() => undefined); // it is awaited above or below
    }
  } finally {
    await storing;
  }
  if (brokenOff === undefined) progress.bytes = file.source.size;
  return { ...progress, brokenOff };
}

/** A record of the file. */
interface Candidate extends Omit<Refusal, "reason"> {
  /** Of all records of the file, from 1; there may be several on a line. */
  readonly position: number;
  readonly person: Person | undefined;
  readonly issues: readonly ValidationIssue[];
}

/** Reads the records of the file, each as soon as the next one begins. */
async function* candidatesOf(
  { file, schema }: ImportOptions,
  onBytes: (count: number) => void,
): AsyncGenerator<Candidate, void, undefined> {
  let last: Candidate | undefined;
  let position = 0;
  for await (const { line, value, read, issues } of valuesOf(file, onBytes)) {
    if (last !== undefined) yield { ...last, nextLine: line };
    last = undefined;
    position++;
    // Below the last person, spreadsheets often write rows of separators.
    if (file.columns !== undefined && issues === undefined && isEmpty(value)) continue;
    const result = issues === undefined ? schema["~standard"].validate(value) : { issues };
    const person = result.issues === undefined ? result.value : undefined;
    const named = (result.issues ?? []).map((issue) => withForm(issue, read, file.dates));
    last = { position, line, nextLine: undefined, value: read, person, issues: named };
  }
  if (last !== undefined) yield last;
}

/** Returns the issue with a date that is not of the form, by that form; every other issue as it is. */
function withForm(issue: ValidationIssue, record: unknown, { form, example, read }: DateReader): ValidationIssue {
  const name = (issue.path ?? []).join(".");
  if (kindOf(name) !== "date") return issue;
  const text = textOf(record, name)?.trim() ?? "";
  if (read(text) !== undefined || /^\d{4}-\d\d-\d\d$/.test(text)) return issue;
  return { ...issue, message: `must be a date as ${form} such as ${example}, not ${excerpt(text)}` };
}

const isEmpty = (value: unknown): boolean => Object.keys(value as object).length === 0; // a row is an object

const batchLength = 1000;

/** With upsert, no two of a batch have the same value of its member: they are stored at the same time, in whatever order. */
async function* batchesOf(
  candidates: AsyncIterable<Candidate>,
  upsert: string | undefined,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  let batch: Candidate[] = [];
  const keys = new Set<string>();
  for await (const candidate of candidates) {
    const key = upsert === undefined ? undefined : textOf(candidate.person, upsert);
    const isRepeated = key !== undefined && keys.has(key);
    if (batch.length >= batchLength || isRepeated) {
      yield batch;
      batch = [];
      keys.clear();
    }
    batch.push(candidate);
    if (key !== undefined) keys.add(key);
  }
  if (batch.length > 0) yield batch;
}

type Outcome = "stored" | "updated" | "known" | { readonly reason: string } | StoreUnavailable;

async function stored(batch: readonly Candidate[], options: ImportOptions): Promise<readonly Outcome[]> {
  const { store, file } = options;
  if (store === undefined) throw new TypeError("people are stored in a store");
  const outcomes = await Promise.all(batch.map((candidate) => updated(candidate, store, options)));
  const people = batch.flatMap(({ person, position }, i) =>
    person === undefined || outcomes[i] !== undefined ? [] : [{ person, position, i }],
  );
  const creations = await store.createEach(
    people.map(({ person }) => person),
    { source: { key: `import ${file.source.digest}`, positions: people.map(({ position }) => position) } },
  );
  for (const [n, creation] of creations.entries()) outcomes[people[n]?.i ?? 0] = toOutcome(creation); // there are as many
  return outcomes as Outcome[]; // a person that was not changed was created, or was not
}

/** Returns what became of a candidate that nobody is created for; undefined where a person is to be created. */
async function updated(
  { person, issues }: Candidate,
  store: Store,
  { upsert, schema }: ImportOptions,
): Promise<Outcome | undefined> {
  if (person === undefined) return { reason: issues.map(toText).join("; ") };
  try {
    return upsert === undefined ? undefined : await update(person, upsert, store, schema);
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}

/**
 * Returns what would become of people.
 *
 * @param held the unique values of the people before them in the file, to which theirs are added
 */
async function foretold(
  batch: readonly Candidate[],
  options: ImportOptions,
  held: HeldValues,
): Promise<readonly Outcome[]> {
  const { store, upsert } = options;
  // With upsert its member decides, and the id of a stored person stays.
  const people = batch.flatMap(({ person }) => {
    if (person === undefined) return [];
    const { id, ...others } = person;
    return [upsert !== undefined || id === undefined ? others : person];
  });
  const conflicts = (await store?.conflicts(people)) ?? [];
  let position = 0;
  return batch.map(({ person, issues }): Outcome => {
    if (person === undefined) return { reason: issues.map(toText).join("; ") };
    const stored = conflicts[position++];
    if (upsert !== undefined && textOf(person, upsert) === undefined) return without(upsert);
    const given = ["id", ...uniqueMembers]
      .filter((member) => member !== "id" || upsert === undefined)
      .map((member) => [member, textOf(person, member)] as const)
      .filter(([, value]) => value !== undefined)
      .map(([member, value]) => ({ member, key: `${member} ${value}` }));
    const member = stored ?? given.find(({ key }) => held.has(key))?.member;
    if (member !== undefined) return upsert !== undefined ? "updated" : { reason: alreadyUsed(member) };
    for (const { key } of given) held.add(key);
    return "stored";
  });
}

const without = (member: string): Outcome => ({ reason: `${member} is required with --upsert` });

const alreadyUsed = (member: string): string => `${member} is already used by another person`;

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
      return "known";
    case "conflict":
      return { reason: alreadyUsed(creation.member) };
    case "ownerless":
      throw new Error("People have no owner");
  }
}

/** Changes the person with the same value of a member; returns undefined when no person has it. */
async function update(person: Person, by: string, store: Store, schema: PersonSchema): Promise<Outcome | undefined> {
  const { id: _id, ...members } = person;
  const value = textOf(person, by);
  if (value === undefined) return without(by);
  const filters = [{ member: by, operator: "eq", value }] as const;
  for await (const [record] of store.list({ filters, limit: 1 })) {
    if (record === undefined) return undefined;
    const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...before } = JSON.parse(record.json);
    const merged: Document = { ...before, ...members };
    const result = schema["~standard"].validate(merged);
    if (result.issues !== undefined) return { reason: result.issues.map(toText).join("; ") };
    const replacement = await store.replace(id, result.value, record.revision);
    if (replacement.kind === "replaced") return replacement.record.revision === record.revision ? "known" : "updated";
    if (replacement.kind === "conflict") return { reason: alreadyUsed(replacement.member) };
    return { reason: "was changed by another program at the same time; import it again" };
  }
  return undefined;
}

const toText = ({ path = [], message }: ValidationIssue): string =>
  [path.map((key) => (typeof key === "object" ? key.key : key)).join("."), message].filter(Boolean).join(" ");
