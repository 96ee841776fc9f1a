import type { CollectionDefinition } from "@waymark/collection";
import type { Log } from "../../log/log.ts";
import type { PersonService } from "../../service.ts";
import { webhookCollection } from "../../webhooks/state.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import type { Options } from "../settings/options.ts";

/** Returns the collections that the database has beside that of the people. */
export const collectionsOf = ({ webhooks }: Pick<Options, "webhooks">): readonly CollectionDefinition[] =>
  webhooks.length > 0 ? [webhookCollection] : [];

/**
 * Begins to send changes to the webhooks of the settings; undefined without webhooks.
 *
 * @throws FileError (rejects) when the file of a secret cannot be used
 */
export async function openWebhooks(
  { webhooks: settings }: Options,
  { database, people }: PersonService,
  log: Log,
): Promise<Webhooks | undefined> {
  if (settings.length === 0) return undefined;
  const { startWebhooks } = await import("../../webhooks/webhooks.ts");
  const webhooks = startWebhooks({ settings, people, states: database.store(webhookCollection.name), log });
  // What the first request stores is sent.
  await webhooks.begun;
  return webhooks;
}
