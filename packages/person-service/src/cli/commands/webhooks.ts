import { displayAddress } from "@waymark/collection/internal";
import { readStates, type StoredState, webhookCollection } from "../../webhooks/state.ts";
import { databaseSettings } from "../settings/settings.ts";
import { type Command, command } from "./command.ts";
import { openExisting } from "./moving.ts";

/** Lists webhooks, and what they did not take. */
export const webhooksCommand: Command = command({
  about: "Lists the webhooks that changes are sent to, what waits for another attempt, and what was given up.",
  notes: [
    "A change is given up when a webhook has refused it for a day and taken others since. The person can be read and sent by hand; a later change of the person is sent again.",
  ],
  examples: [["person-service webhooks --database people.db", "the webhooks of a service"]],
  options: databaseSettings,
  async run({ values: { database: address } }, io) {
    await using database = await openExisting(address, webhookCollection);
    const states = await readStates(database.store(webhookCollection.name));
    io.print(states.length === 0 ? `no webhooks in ${displayAddress(address)}` : states.flatMap(linesOf).join("\n"));
  },
});

function linesOf({ state }: StoredState): readonly string[] {
  const { host, lastDelivery, pending, dead, deadCount } = state;
  const last = lastDelivery === null ? "never took a message" : `took a message at ${timeOf(lastDelivery)}`;
  return [
    `${host}: ${last}, ${pending.length} waiting, ${deadCount} given up`,
    ...pending.map(
      ({ id, attempts, next, reason }) =>
        `  waiting: person ${id}, attempt ${attempts + 1} at ${timeOf(next)} (${reason})`,
    ),
    ...dead.map(
      ({ id, attempts, since, next, reason }) =>
        `  given up: person ${id}, after ${attempts} attempts from ${timeOf(since)} to ${timeOf(next)} (${reason})`,
    ),
  ];
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
