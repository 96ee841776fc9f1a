import type { RecordChange } from "@waymark/collection";
import type { WebhookMessage } from "./delivery.ts";
import type { WebhookSettings, WebhookType } from "./settings.ts";

/** A change, where a removal has the time at which it was first read: the feed has none. */
export type TimedChange = Exclude<RecordChange, RemovedChange> | (RemovedChange & { readonly at: number });

type RemovedChange = Extract<RecordChange, { readonly kind: "removed" }>;

/** Makes the message of a change, the same for each attempt; undefined where the webhook does not want it. */
export function messageOf(change: TimedChange, { types, fields }: WebhookSettings): WebhookMessage | undefined {
  const type: WebhookType = change.kind === "stored" ? "person.stored" : "person.removed";
  if (!types.includes(type)) return undefined;
  if (change.kind === "removed") {
    const { id, revision } = change;
    const timestamp = new Date(change.at).toISOString();
    return { id: idOf(id, revision), body: JSON.stringify({ type, timestamp, data: { id } }) };
  }
  const { id, revision, updatedAt, json } = change.record;
  const person = JSON.parse(json) as Readonly<Record<string, unknown>>; // a record is an object
  const chosen = fields?.flatMap((name) => (Object.hasOwn(person, name) ? [[name, person[name]] as const] : []));
  const data = chosen === undefined ? person : { id, ...Object.fromEntries(chosen) };
  return {
    id: idOf(id, revision),
    body: JSON.stringify({ type, timestamp: new Date(updatedAt).toISOString(), data }),
  };
}

/** Each change of a person has a revision, removals too: the id is that of the change, in every attempt. */
const idOf = (person: number, revision: number): string => `person-${person}-${revision}`;
