import { type Awaitable, HttpError, type HttpRequest, notFound, problem } from "waymark";
import { publicUrl } from "waymark/filters";
import { parseTemplate, wording } from "waymark/internal";
import { formatName } from "./lists/parameters.ts";
import { collectionProblemTypes } from "./problem-types.ts";
import type { Store, StoreOwner } from "./stores/contract/store.ts";

/** The records that the requests to a collection concern, by the variables of their paths. */
export interface RecordScope {
  /**
   * Returns the store of the records that a request concerns: of those of one owner where the path names it, else of all.
   * It throws or rejects with an HttpError: 404 without content when an owner that the path names is missing or belongs
   * to another owner than the path says, 400 when an id is not an integer.
   */
  readonly storeOf: (request: HttpRequest<unknown>, of: Addressed) => Awaitable<Store>;
  /** Returns what is wrong with the path of a route. */
  readonly findingIn: (template: string, of: Addressed) => string | undefined;
}

/** What a path leads to: a collection, its changes, or one of its records, whose id is then the variable `{id}`. */
export type Addressed = "collection" | "changes" | "record";

/** Returns the URL of a collection for clients, without a slash at the end: the URL of a record is this, `/` and its id. */
export function collectionUrl(request: HttpRequest<unknown>, of: Addressed): string {
  const url = publicUrl.of(request);
  return of === "collection" ? url.replace(/\/$/, "") : url.slice(0, url.lastIndexOf("/"));
}

/**
 * Makes the scope of a collection. A path names owners by the members that have their ids: `{bookId}`, and for the owner of the
 * book `{authorId}`. A variable that could be a misspelt one is refused, since the records of all owners would be served.
 *
 * @param otherVariables path variables that name no owner
 */
export function recordScope(store: Store, otherVariables: readonly string[]): RecordScope {
  const owners = ownersOf(store);
  const findingIn = (names: readonly string[], path: string): string | undefined =>
    findingInOwners(
      names.filter((name) => !otherVariables.includes(name)),
      owners,
      path,
    );
  return {
    storeOf: owners.length === 0 ? () => store : withinOwners(store, owners, findingIn),
    findingIn(template, of) {
      const segments = variablesIn(template);
      const [last = []] = segments.slice(-1);
      if (of === "record" && !last.includes("id")) {
        return `The path ${wording.quote(template)} must end in {id}, the id of the record`;
      }
      return owners.length === 0 ? undefined : findingIn(besideId(segments.flat(), of), wording.quote(template));
    },
  };
}

/** Returns the owner of the records, the owner of that one, and so on; up to one that no other variable could name. */
function ownersOf({ owner }: Store): readonly StoreOwner[] {
  const owners: StoreOwner[] = [];
  for (let above = owner; above !== undefined; above = above.store.owner) {
    if (owners.some(({ member }) => member === above?.member)) break;
    owners.push(above);
  }
  return owners;
}

/** @param names of the variables of a path that may name owners */
function findingInOwners(names: readonly string[], owners: readonly StoreOwner[], path: string): string | undefined {
  const members = owners.map(({ member }) => member);
  const unknown = names.find((name) => !members.includes(name));
  if (unknown !== undefined) {
    const known = members.map((member) => `{${member}}`).join(", ");
    const hint = wording.orNearest(wording.nearestName(unknown, members)) || ".";
    return `The path ${path} has the variable {${unknown}}, which names no owner of the records${hint} Owners: ${known}`;
  }
  const furthest = members.findLastIndex((member) => names.includes(member));
  const missing = members.slice(0, Math.max(furthest, 0)).find((member) => !names.includes(member));
  return missing && `The path ${path} has the variable {${members[furthest]}} without {${missing}}, which is between`;
}

function withinOwners(
  store: Store,
  owners: readonly StoreOwner[],
  findingIn: (names: readonly string[], path: string) => string | undefined,
): RecordScope["storeOf"] {
  return (request, of) => {
    const variables = request.variables as Readonly<Record<string, unknown>>; // those of the path of the route
    // The router has checked the routes; but a handler may be wrapped, and must then not serve the records of others.
    const finding = findingIn(besideId(Object.keys(variables), of), wording.quote(request.path));
    if (finding !== undefined) throw new RangeError(finding);
    const named = owners.filter(({ member }) => Object.hasOwn(variables, member));
    const ids = named.map(({ member }) => requireRecordId(String(variables[member])));
    const [nearest] = ids;
    if (nearest === undefined) return store;
    const within = (found: readonly unknown[]): Store => {
      if (found.includes(undefined)) throw new HttpError(notFound());
      return store.within(nearest);
    };
    // Each owner is looked up within its own. The furthest is not read where there is another, which could not be without it.
    const nearer = named.slice(0, Math.max(named.length - 1, 1));
    const found = nearer.map((owner, i) => {
      const above = ids[i + 1];
      const { store: theirs } = owner;
      return (above === undefined ? theirs : theirs.within(above)).find(ids[i] as number); // each has an id
    });
    return found.some((each) => each instanceof Promise) ? Promise.all(found).then(within) : within(found);
  };
}

const besideId = (names: readonly string[], of: Addressed): readonly string[] =>
  of === "record" ? names.filter((name) => name !== "id") : names;

/** Returns the names of the variables in each segment of a path. */
function variablesIn(template: string): readonly (readonly string[])[] {
  return parseTemplate(template).map((parts) =>
    parts.flatMap((part) =>
      (part.kind === "variable" || part.kind === "rest") && part.name !== undefined ? [part.name] : [],
    ),
  );
}

/**
 * Reads the id in a segment of a path: an integer in canonical decimal form, so that each record has exactly one path.
 *
 * @throws HttpError 400 for anything else
 */
export function requireRecordId(segment: string): number {
  if (canonicalInteger.test(segment)) return Number(segment);
  const detail = /^-?0+\d+$/.test(segment)
    ? `${wording.excerpt(segment)} has a zero in front: send the integer without it.`
    : `${wording.excerpt(segment)} is not an integer in decimal digits, such as 7.${isWithExtension(segment) ? namedByAccept : ""}`;
  throw new HttpError(problem(collectionProblemTypes.invalidId, { detail }));
}

const isWithExtension = (id: string): boolean => /^[0-9]+\.[A-Za-z]\w*$/.test(id);
const namedByAccept = ` Name a representation by Accept, or by ?${formatName}=…, and not by an extension.`;

const canonicalInteger = /^(?:0|-?[1-9][0-9]*)$/;
