import { type HttpRequest, HttpResponse, repeatable } from "waymark";
import { attachment, HeaderList, notModified, validatorFields } from "waymark/fields";
import { wording } from "waymark/internal";
import type { Description } from "waymark/openapi";
import { formatName, readQuery } from "../lists/parameters.ts";
import { collectionUrl } from "../record-scope.ts";
import type { Representation } from "../representation.ts";
import type { Store, StoredRecord } from "../stores/contract/store.ts";

/**
 * Returns the representation that the query names (`?format=csv`), else the one that the route's `accept` chose, else the first.
 *
 * @throws HttpError 400 `invalid-parameters` when the query names an unknown representation
 * @throws RangeError when the route accepts a type that the collection does not have
 */
export function chosenRepresentation<R extends Representation>(
  request: HttpRequest<unknown>,
  representations: readonly [R, ...R[]],
): R {
  const format = formatOf(request);
  if (format !== undefined) return named(format, request, representations);
  const { negotiatedType } = request;
  if (negotiatedType === undefined) return representations[0];
  const chosen = representations.find(({ mediaType }) => mediaType === negotiatedType);
  if (chosen !== undefined) return chosen;
  const known = representations.map(({ mediaType }) => mediaType).join(", ");
  throw new RangeError(`The route accepts ${negotiatedType}, and the collection can be sent as: ${known}`);
}

function named<R extends Representation>(
  format: string,
  request: HttpRequest<unknown>,
  representations: readonly [R, ...R[]],
): R {
  const chosen = representations.find(({ name }) => name === format);
  if (chosen !== undefined) return chosen;
  return readQuery(request.search, (_, report) => {
    const names = representations.map(({ name }) => name);
    const nearest = wording.nearestName(format, names);
    report(formatName, `is ${wording.excerpt(format)}, which is not a format here${wording.orNearest(nearest)}`, names);
    return representations[0]; // not reached: readQuery throws what is reported
  });
}

/** What is said of an operation whose answer is one of these: the header fields that their text depends on. */
export const dependingOn = (representations: readonly Representation[]): Description => ({
  headers: Object.fromEntries(
    representations.flatMap(({ reads = {} }) =>
      Object.entries(reads).map(([name, description]) => [name, { description }]),
    ),
  ),
});

/** The field of an answer that is named as a file. */
export const fileField: Readonly<Record<string, Description.Header>> = {
  "Content-Disposition": { description: "The name of the file; with `format`." },
};

/**
 * Lets the answer be sent again from memory until the database changes. The text of a representation without a variant depends on
 * the records only. To be called before a record is read.
 */
export function allowRepetition(request: HttpRequest<unknown>, { source }: Store, { variant }: Representation): void {
  if (source !== undefined && variant === undefined) repeatable(request, source);
}

/**
 * Names the response as a file to save, such as `people-2026-11-23.csv` or `person-7.vcf`, when the query named its representation and that
 * representation has a file extension.
 */
export function asFile(
  response: HttpResponse,
  request: HttpRequest<unknown>,
  { representation: { extension }, id, many }: FileContent,
): HttpResponse {
  if (extension === undefined || formatOf(request) === undefined) return response;
  // The name of a list has the date.
  if (id === undefined) repeatable.not(request);
  const url = collectionUrl(request, id === undefined ? "collection" : "record");
  const segment = decodeURIComponent(url.slice(url.lastIndexOf("/") + 1)).replaceAll(notInFileNames, "_");
  const collection = segment === "" ? "records" : segment;
  const name = id === undefined ? `${many ?? collection}-${today()}` : `${collection}-${id}`;
  return response.withHeader("Content-Disposition", attachment(`${name}.${extension}`));
}

/** The content that is named as a file. */
interface FileContent {
  readonly representation: Representation;
  /** Undefined for a list. */
  readonly id?: number;
  /** What the records of a list are called: `order lines`. Default: the last segment of its URL. */
  readonly many?: string | undefined;
}

/** In UTC, as all times: `2026-11-23`. */
const today = (): string => new Date().toISOString().slice(0, 10);

const notInFileNames = /[/\\\p{Cc}]/gu;

function formatOf(request: HttpRequest<unknown>): string | undefined {
  const { search } = request;
  // Most queries do not name it: without the name, only a percent escape could spell it.
  if (!(search.includes(formatName) || search.includes("%"))) return undefined;
  // `format=` without a value is refused with the other parameters.
  return request.query.get(formatName) || undefined;
}

/** The validators of one state of a resource. */
export interface StateValidators {
  /** Those of all representations, that of the selected one first. */
  readonly entityTags: readonly [string, ...string[]];
  readonly lastModified: number | undefined;
  /** The entity tag of the selected representation. */
  readonly entityTag: string;
  /**
   * The header fields that name them. A time of change in the future, from a clock that was set back, is sent as the present (RFC
   * 9110 §8.8.2.1).
   */
  readonly fields: HeaderList;
}

/**
 * Returns the validators of a record. An entity tag is made of the revision, the name of the representation and its variant for
 * the request, if any: equal tags of one resource mean equal bytes.
 */
export function recordValidators(
  request: HttpRequest<unknown>,
  { revision, updatedAt }: StoredRecord,
  representations: readonly [Representation, ...Representation[]],
  selected: Representation = representations[0],
): StateValidators {
  return new RepresentationValidators(request, `${revision}`, representations, selected, updatedAt);
}

/** Returns the validators of a whole collection, from the state that its store names. */
export function listValidators(
  request: HttpRequest<unknown>,
  { view }: Pick<Store, "view">,
  state: string,
  representations: readonly Representation[],
  selected: Representation,
): StateValidators {
  const name = view === undefined ? `all-${state}` : `${view}-${state}`;
  return new RepresentationValidators(request, name, representations, selected, undefined);
}

/**
 * Returns the header fields of a representation. Only the client's own cache may store it, and must revalidate it before each use
 * (RFC 9111 §5.2.2).
 */
export function representationFields(representation: Representation, validators: StateValidators): HeaderList {
  return constantFields(representation).whole.concat(validators.fields);
}

/** Returns the header fields of a list, whose content also depends on what the client prefers. */
export function listFields(representation: Representation, validators: StateValidators): HeaderList {
  return constantFields(representation).list.concat(validators.fields);
}

/** Makes the 304 in place of a representation: its fields, without those that are about content. */
export function notModifiedAnswer(representation: Representation, validators: StateValidators): HttpResponse {
  return new HttpResponse(304, constantFields(representation).notModified.concat(validators.fields));
}

/** The fields of a representation that do not depend on the state, checked and rendered once. */
interface ConstantFields {
  readonly whole: HeaderList;
  readonly list: HeaderList;
  readonly notModified: HeaderList;
}

function constantFields(representation: Representation): ConstantFields {
  let fields = constantFieldsOf.get(representation);
  if (fields === undefined) {
    const { contentType, headers, reads = {} } = representation;
    const own = HeaderList.of({ "Content-Type": contentType, "Cache-Control": "private, no-cache", ...headers });
    const names = Object.keys(reads);
    const whole = names.length === 0 ? own : own.withMembers("Vary", names);
    const list = whole.withMembers("Vary", ["Prefer"]);
    fields = { whole, list, notModified: notModified(new HttpResponse(200, whole)).headers };
    constantFieldsOf.set(representation, fields);
  }
  return fields;
}

const constantFieldsOf = new WeakMap<Representation, ConstantFields>();

// A class because its getter costs nothing until a request has preconditions, which is rare: an object literal with a getter takes
// 650 ns to make, an instance 170 ns (Node 26).
class RepresentationValidators implements StateValidators {
  readonly entityTag: string;
  readonly lastModified: number | undefined;
  readonly #request: HttpRequest<unknown>;
  readonly #state: string;
  readonly #representations: readonly Representation[];
  readonly #selected: Representation;

  constructor(
    request: HttpRequest<unknown>,
    state: string,
    representations: readonly Representation[],
    selected: Representation,
    lastModified: number | undefined,
  ) {
    this.entityTag = tagOf(request, state, selected);
    this.lastModified = lastModified;
    this.#request = request;
    this.#state = state;
    this.#representations = representations;
    this.#selected = selected;
  }

  get fields(): HeaderList {
    const { entityTag, lastModified } = this;
    if (lastModified === undefined) return validatorFields(entityTag);
    const now = Date.now();
    if (lastModified > now) repeatable.not(this.#request);
    return validatorFields(entityTag, Math.min(lastModified, now));
  }

  get entityTags(): readonly [string, ...string[]] {
    const { method, headers } = this.#request;
    // The others count for If-Match and for changes; a browser that reads again asks for this one only.
    if ((method === "GET" || method === "HEAD") && !headers.has("If-Match")) return [this.entityTag];
    const others = this.#representations.filter((each) => each !== this.#selected);
    return [this.entityTag, ...others.map((each) => tagOf(this.#request, this.#state, each))];
  }
}

function tagOf(request: HttpRequest<unknown>, state: string, { name, variant }: Representation): string {
  return variant === undefined ? `"${state}-${name}"` : `"${state}-${name}-${variant(request)}"`;
}
