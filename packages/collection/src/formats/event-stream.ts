import type { ListRepresentation, ListSyntax } from "../representation.ts";

/**
 * Sends records as events (WHATWG HTML, §9.2): the data of each is the JSON of one record. As a list it has an end; `EventStreams`
 * goes on with it for as long as the client stays.
 */
export const eventStreamRepresentation: ListRepresentation = {
  name: "event-stream",
  mediaType: "text/event-stream",
  contentType: "text/event-stream",
  list: () => ({ ...event, after: eventEnd, empty: "" }),
};

/**
 * Returns the syntax of events behind which a client is at the cursor. The last of them has it as its id, so that a client that
 * loses the connection before gets all of them again.
 */
export const eventsUpTo = (cursor: string): ListSyntax => ({
  ...event,
  after: `\n${idOf(cursor)}`,
  empty: idOf(cursor),
});

/** Returns what moves a client on to a cursor without an event. */
export const idOf = (cursor: string): string => `id: ${cursor}${eventEnd}`;

const eventEnd = "\n\n";

const event: ListSyntax = { item: ({ json }) => `data: ${json}`, between: eventEnd };
