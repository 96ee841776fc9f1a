import type { RecordChange } from "@waymark/collection";
import type { WebhookMessage } from "./delivery.ts";
import type { WebhookSettings, WebhookType } from "./settings.ts";

/** Makes the message of a change; undefined where the webhook does not want it. */
export function messageOf(change: RecordChange, { types, fields }: WebhookSettings): WebhookMessage | undefined {
  const type: WebhookType = change.kind === "stored" ? "person.stored" : "person.removed";
  if (!types.includes(type)) return undefined;
  if (change.kind === "removed") {
    const timestamp = new Date().toISOString();
    return { id: `person-${change.id}-removed`, body: JSON.stringify({ type, timestamp, data: { id: change.id } }) };
  }
  const { id, revision, updatedAt, json } = change.record;
  const person = JSON.parse(json) as Readonly<Record<string, unknown>>; // a record is an object
  const chosen = fields?.flatMap((name) => (Object.hasOwn(person, name) ? [[name, person[name]] as const] : []));
  const data = chosen === undefined ? person : { id, ...Object.fromEntries(chosen) };
  return {
    id: `person-${id}-${revision}`,
    body: JSON.stringify({ type, timestamp: new Date(updatedAt).toISOString(), data }),
  };
}
