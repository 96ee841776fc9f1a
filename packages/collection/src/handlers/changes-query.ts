import { HttpError, type HttpRequest, problem, problemTypes } from "waymark";
import { negotiate } from "waymark/fields";
import { jsonRepresentation } from "../formats/json/json.ts";
import { ndjsonRepresentation } from "../formats/json/ndjson.ts";
import { fieldsParameter } from "../lists/fields.ts";
import { formatParameter, type ParameterValues, type Query, queryOf, textParameter } from "../lists/parameter-table.ts";
import { formatName, type QueryParameters } from "../lists/parameters.ts";
import { greatestLimit, limitParameter } from "../lists/query.ts";
import { type ListRepresentation, mediaTypeOf } from "../representation.ts";
import type { CollectionSettings } from "../settings.ts";
import type { ChangesOptions } from "../stores/contract/store.ts";
import { chosenRepresentation } from "./selected-representation.ts";

/**
 * Sends records as events (WHATWG HTML, §9.2): the data of each is the JSON of one record. As a list it has an end; `Followers`
 * goes on with it for as long as the client stays.
 */
export const eventStreamRepresentation: ListRepresentation = {
  name: "event-stream",
  mediaType: "text/event-stream",
  contentType: "text/event-stream",
  list: () => ({ item: ({ json }) => `data: ${json}`, between: "\n\n", after: "\n\n", empty: "" }),
};

/** The forms in which changes are sent, the preferred first. */
export const changesRepresentations: readonly [ListRepresentation, ...ListRepresentation[]] = [
  jsonRepresentation,
  ndjsonRepresentation,
  eventStreamRepresentation,
];

const changesMediaTypes = changesRepresentations.map(mediaTypeOf);

/**
 * Chooses the form of changes. The handler does so, and not its route: what the route did not take would be taken for the id of a record.
 *
 * @throws HttpError 406 when the client takes none of them
 */
export function acceptedRepresentation(request: HttpRequest<unknown>): ListRepresentation {
  const named = chosenRepresentation(request, changesRepresentations);
  if (request.query.has(formatName)) return named;
  const accepted = changesRepresentations[negotiate(request.headers.get("Accept"), changesMediaTypes)];
  if (accepted !== undefined) return accepted;
  const available = changesRepresentations.map(({ mediaType }) => mediaType);
  const detail = `Changes are sent as ${available.join(", ")}.`;
  throw new HttpError(problem(problemTypes.notAcceptable, { detail, available }).withHeader("Vary", "Accept"));
}

/** What a client asks for. */
export interface ChangesQuery extends Pick<ChangesOptions, "limit"> {
  readonly parameters: QueryParameters;
  readonly after: string | undefined;
  /** The members to send, with the id; undefined for all. */
  readonly fields: readonly string[] | undefined;
}

/** Makes what reads the query of a request for changes. */
export function changesQuery({ members }: Pick<CollectionSettings, "members">): Query<ChangesQuery> {
  const table = {
    after: textParameter(
      "From `Link`: the cursor behind the changes that the client has. `now` begins with the next change.",
    ),
    limit: limitParameter(
      `How many to send at most; there may be fewer, though \`Link\` leads to more. Default: ${greatestLimit}.`,
    ),
    ...(members && { fields: fieldsParameter(members) }),
    format: formatParameter(changesRepresentations),
  };
  const toQuery = ({ after, limit, fields }: ParameterValues<typeof table>, { sent }: { sent: QueryParameters }) => ({
    parameters: sent,
    after,
    ...(limit !== undefined && { limit }),
    fields: fields && ["id", ...fields.filter((name) => name !== "id")],
  });
  return queryOf(table, toQuery, { members });
}

/** Returns the path of the list whose changes are requested: who may read it may follow them. */
export const pathOfList = ({ path }: HttpRequest<unknown>): string => path.slice(0, path.lastIndexOf("/")) || "/";
