import type { HttpRequest } from "waymark";
import { formatHttpDate, HeaderList, type Validators } from "waymark/fields";
import type { Representation } from "../representation.ts";
import type { StoredRecord } from "../store.ts";

/** What tells a state in each of its representations. */
export interface StateValidators extends Validators {
  /** The entity tag of the selected one. */
  readonly entityTag: string;
}

/**
 * What tells the state of a record in each of its representations: the revision and the name of the representation make
 * an entity tag, with its variant for the request where it has some, so that equal tags of one resource mean equal bytes.
 */
export function recordValidators(
  request: HttpRequest<unknown>,
  { revision, updatedAt }: StoredRecord,
  representations: readonly [Representation, ...Representation[]],
  selected: Representation = representations[0],
): StateValidators {
  return new RepresentationValidators(request, `${revision}`, representations, selected, updatedAt);
}

/** What tells the state of a whole collection, by the store's last revision. */
export function listValidators(
  request: HttpRequest<unknown>,
  revision: number,
  representations: readonly Representation[],
  selected: Representation,
): StateValidators {
  return new RepresentationValidators(request, `all-${revision}`, representations, selected, undefined);
}

/**
 * The header fields of a representation. It may be kept, by its reader alone, and must be asked for again before it is
 * used (RFC 9111 §5.2.2). A time of change that lies ahead, by a clock that was set back, is told as now
 * (RFC 9110 §8.8.2.1).
 */
export function representationFields(
  representation: Representation,
  { entityTag, lastModified }: StateValidators,
): HeaderList {
  const modified = lastModified !== undefined && {
    "Last-Modified": formatHttpDate(Math.min(lastModified, Date.now())),
  };
  return constantFields(representation).concat(HeaderList.of({ ETag: entityTag, ...modified }));
}

/** What is the same whatever the state, kept so that it is checked and rendered once. */
function constantFields(representation: Representation): HeaderList {
  let fields = constantFieldsOf.get(representation);
  if (fields === undefined) {
    const { contentType, headers } = representation;
    fields = HeaderList.of({ "Content-Type": contentType, "Cache-Control": "private, no-cache", ...headers });
    constantFieldsOf.set(representation, fields);
  }
  return fields;
}

const constantFieldsOf = new WeakMap<Representation, HeaderList>();

// A class, whose getter costs nothing until a request has preconditions, which most have not: an object with a getter of its
// own takes 650 ns to make, and this 170 (Node 26).
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

  get entityTags(): readonly [string, ...string[]] {
    const others = this.#representations.filter((each) => each !== this.#selected);
    return [this.entityTag, ...others.map((each) => tagOf(this.#request, this.#state, each))];
  }
}

function tagOf(request: HttpRequest<unknown>, state: string, { name, variant }: Representation): string {
  return variant === undefined ? `"${state}-${name}"` : `"${state}-${name}-${variant(request)}"`;
}
