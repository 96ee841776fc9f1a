import { HttpError, type HttpRequest, problem, problemTypes } from "waymark";
import { negotiate } from "waymark/fields";
import { eventStreamRepresentation } from "../formats/event-stream.ts";
import { jsonRepresentation } from "../formats/json.ts";
import { ndjsonRepresentation } from "../formats/ndjson.ts";
import { chooseFields } from "../lists/fields.ts";
import { formatParameter, type QueryParameters, readQuery, reportUnknown } from "../lists/parameters.ts";
import { parseLimit } from "../lists/query.ts";
import { type ListRepresentation, mediaTypeOf } from "../representation.ts";
import { StoreCursorInvalid } from "../stores/contract/errors.ts";
import type { ChangesOptions } from "../stores/contract/store.ts";
import { chosenRepresentation } from "./selected-representation.ts";

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
  if (request.query.has(formatParameter)) return named;
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

/**
 * Reads what a client asks for.
 *
 * @throws StoreCursorInvalid when `after` is empty; HttpError 400 as `readQuery`
 */
export function readChangesQuery(
  { search, query }: HttpRequest<unknown>,
  members: readonly string[] | undefined,
  representation: ListRepresentation,
): ChangesQuery {
  if (query.get("after") === "") throw new StoreCursorInvalid("It is empty");
  return readQuery(search, (parameters, report) => {
    let limit: number | undefined;
    let fields: readonly string[] | undefined;
    for (const [name, value] of parameters) {
      if (name === "after" || name === formatParameter) continue;
      if (name === "limit") limit = parseLimit(value, report);
      else if (name === "fields" && members !== undefined) {
        fields = chooseFields(value, members, representation, report);
      } else reportUnknown(name, { names: parameterNames(members), filters: [], members: members ?? [] }, report);
    }
    return {
      parameters,
      after: parameters.get("after"),
      ...(limit !== undefined && { limit }),
      fields: fields && ["id", ...fields.filter((name) => name !== "id")],
    };
  });
}

const parameterNames = (members: readonly string[] | undefined): readonly string[] => [
  ...["after", "limit"],
  ...(members === undefined ? [] : ["fields"]),
  formatParameter,
];

/** Returns the path of the list whose changes are requested: who may read it may follow them. */
export const pathOfList = ({ path }: HttpRequest<unknown>): string => path.slice(0, path.lastIndexOf("/")) || "/";
