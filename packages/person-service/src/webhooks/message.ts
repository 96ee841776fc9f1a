import type { RecordChange } from "@waymark/collection";
import type { WebhookSettings, WebhookType } from "./settings.ts";

/** What is sent to a webhook. The id is that of the change, in each attempt. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

/** A change, where a removal has the time at which it was first read: the feed has none. */
export type TimedChange =
  | Extract<RecordChange, { readonly kind: "stored" }>
  | (Extract<RecordChange, { readonly kind: "removed" }> & { readonly at: number });

/** Makes the message of a change, the same for each attempt; undefined where the webhook does not want it. */
export function messageOf(change: TimedChange, { types, fields }: WebhookSettings): WebhookMessage | undefined {
  const isStored = change.kind === "stored";
  const type: WebhookType = isStored ? "person.stored" : "person.removed";
  if (!types.includes(type)) return undefined;
  const { id, revision } = isStored ? change.record : change;
  const timestamp = new Date(isStored ? change.record.updatedAt : change.at).toISOString();
  const data = isStored ? chosenOf(change.record.json, fields) : { id };
  return { id: `person-${id}-${revision}`, body: JSON.stringify({ type, timestamp, data }) };
}

function chosenOf(json: string, fields: readonly string[] | undefined): unknown {
  const person = JSON.parse(json) as Readonly<Record<string, unknown>>; // a record is an object
  if (fields === undefined) return person;
  return Object.fromEntries(
    ["id", ...fields].flatMap((name) => (Object.hasOwn(person, name) ? [[name, person[name]]] : [])),
  );
}
