import { ask, Refusal } from "../client/api.ts";
import type { Person } from "../client/fields.ts";
import { edited } from "../client/service.ts";
import { contested, type Meeting, merged, patchBetween } from "../values/merge.ts";
import { words } from "../words.ts";
import type { Base } from "./form.ts";

const names = (): readonly string[] => edited().map(({ name }) => name);

/** Reads a person with the entity tag of the state. */
export async function readPerson(id: number): Promise<Base> {
  const { value, headers } = await ask<Person>("GET", `/person/${id}`);
  return { person: value, etag: headers.get("ETag") ?? "" };
}

/** Returns the members that the reader gives up where somebody else has changed them, too; undefined to go on typing. */
export type Settle = (meeting: Meeting, names: readonly string[]) => Promise<readonly string[] | undefined>;

/**
 * Stores what differs between a state and what was typed. Where somebody else has changed other members meanwhile, both changes
 * stand; where the same ones, the reader is asked.
 *
 * @throws Refusal, NoAnswer
 */
export async function change(id: number, mine: Person, base: Base, settle: Settle): Promise<void> {
  const patch = patchBetween(base.person, mine, names());
  if (patch === undefined) return;
  try {
    const headers = { "Content-Type": "application/merge-patch+json", "If-Match": base.etag };
    await ask("PATCH", `/person/${id}`, { json: patch, headers });
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 412) throw error;
    const now = await readPerson(id);
    const meeting = { before: base.person, mine, theirs: now.person };
    const both = contested(meeting, names());
    const givenUp = both.length === 0 ? [] : await settle(meeting, both);
    if (givenUp === undefined) throw new Refusal(412, { detail: words.form.notSaved }, new Headers());
    await change(id, merged(meeting, names(), givenUp), now, settle);
  }
}

/** Stores a new person, once however often it is tried, and returns the number. */
export async function create(person: Person, keep: string): Promise<number> {
  const key = sessionStorage.getItem(`${keep} key`) ?? crypto.randomUUID();
  sessionStorage.setItem(`${keep} key`, key);
  try {
    const { headers } = await ask("POST", "/person", { json: person, headers: { "Idempotency-Key": `"${key}"` } });
    sessionStorage.removeItem(`${keep} key`);
    return Number(headers.get("Location")?.split("/").at(-1));
  } catch (error) {
    // An answer was lost, and something else was typed since: once more, and it is another person.
    if (error instanceof Refusal && error.code === "idempotency-key-reused") sessionStorage.removeItem(`${keep} key`);
    throw error;
  }
}
