import type { ListRepresentation, ListSyntax } from "../representation.ts";

/**
 * Sends records as events (WHATWG HTML, §9.2): the data of each is the JSON of one record. As a list it has an end; `Followers`
 * goes on with it for as long as the client stays.
 */
export const eventStreamRepresentation: ListRepresentation = {
  name: "event-stream",
  mediaType: "text/event-stream",
  contentType: "text/event-stream",
  list: () => ({ ...event, after: eventEnd, empty: "" }),
};

const eventEnd = "\n\n";

const event: ListSyntax = { item: ({ json }) => `data: ${json}`, between: eventEnd };
