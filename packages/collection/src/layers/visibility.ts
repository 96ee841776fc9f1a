import { hash } from "node:crypto";
import { type Awaitable, HttpError, type HttpRequest, problem, problemTypes } from "waymark";
import { andThen } from "waymark/internal";
import { toMemberValue, valueAt, valuesAt } from "../members/value.ts";
import type { RecordScope } from "../record-scope.ts";
import { cursorGone } from "../stores/contract/errors.ts";
import type { MemberFilter, MemberType, SelectableMember, Selection } from "../stores/contract/selection.ts";
import type { ChangeBatch, Document, FirstBatch, Store, StoredRecord } from "../stores/contract/store.ts";
import { batchesFrom } from "../stores/record-store.ts";
import { changeInState, mapped } from "./store-layers.ts";

/** Which records a caller sees and changes. To all others they are not there: 404, and in no list. */
export interface Visibility {
  /** The members that decide, each with the filter `exact`, `date`, `number` or `boolean`. Any value of a list will do. */
  readonly by: readonly string[];
  /**
   * Returns the values of a request's caller, by member: a record is visible that has one of them in each member of `by`. Without a
   * value for one of these members nothing is. `"everything"` is for a caller who sees all records.
   */
  readonly to: (
    request: HttpRequest<unknown>,
  ) => "everything" | Readonly<Record<string, VisibleValue | readonly VisibleValue[] | undefined>>;
}

/** A value of a member that decides who sees a record. */
type VisibleValue = string | number | boolean;

/** What a caller sees, as conditions. */
interface View {
  /** Another text for other conditions, of 8 characters of base64url. */
  readonly name: string;
  readonly filters: readonly MemberFilter[];
  has(document: unknown): boolean;
}

/** Returns what a request's caller sees; undefined for everything. */
export type ViewOf = (request: HttpRequest<unknown>) => View | undefined;

/** @throws TypeError for a member that cannot decide what is visible */
export function viewOf(store: Pick<Store, "members">, visible: Visibility | undefined): ViewOf {
  if (visible === undefined) return () => undefined;
  const members = visible.by.map((name) => decidingMember(store, name));
  return (request) => {
    const values = visible.to(request);
    if (values === "everything") return undefined;
    const conditions = members.map(({ name, type, isList = false }) => {
      const own = values[name];
      return {
        name,
        type,
        isList,
        among: new Set((Array.isArray(own) ? own : own === undefined ? [] : [own]).map(comparable)),
      };
    });
    return {
      name: hash("sha256", JSON.stringify(conditions.map(({ among }) => [...among].sort())), "base64url").slice(0, 8),
      filters: conditions.some(({ among }) => among.size === 0)
        ? [nothing]
        : conditions.map(({ name, among }) => ({ member: name, operator: "in", values: [...among] })),
      has: (document) =>
        conditions.every(({ name, type, isList, among }) =>
          // As in lists, an array in the place of one value does not count.
          (isList ? valuesAt(document, name) : [valueAt(document, name)]).some((value) => {
            const compared = toMemberValue(value, type);
            return compared !== null && among.has(compared);
          }),
        ),
    };
  };
}

/** Returns the scope of those records of a collection that the caller of each request sees. */
export const visibleScope = (scope: RecordScope, view: ViewOf): RecordScope => ({
  ...scope,
  storeOf: (request, of) =>
    andThen(scope.storeOf(request, of), (store): Store => {
      const seen = view(request);
      return seen === undefined ? store : storeSeen(store, seen);
    }),
});

/** No record has this id. */
const nothing: MemberFilter = { member: "id", operator: "eq", value: 0 };

const comparable = (value: VisibleValue): string | number => (typeof value === "boolean" ? String(value) : value);

function decidingMember({ members }: Pick<Store, "members">, name: string): SelectableMember {
  const member = members.find((each) => each.name === name);
  if (member === undefined || !deciding.has(member.type)) {
    const found = member === undefined ? "it has none" : `its filter is ${member.type}`;
    throw new TypeError(`visible.by names ${name}, which needs the filter exact, date, number or boolean: ${found}`);
  }
  // The filter of a list has also the value of its single member.
  if (
    members.some((each) => "single" in each && each.single !== undefined && [each.name, each.single].includes(name))
  ) {
    throw new TypeError(`visible.by names ${name}, which is compared together with another member`);
  }
  return member;
}

/** Not text, which is compared without case and accents: Ömer would see what is for Omer. */
const deciding: ReadonlySet<MemberType> = new Set(["exact", "date", "number", "boolean"]);

/** Returns a store as those see it who see only some of its records. */
function storeSeen(store: Store, view: View): Store {
  const selected = (selection: Selection = {}): Selection => ({
    ...selection,
    filters: [...(selection.filters ?? []), ...view.filters],
  });
  const isSeen = ({ json }: StoredRecord): boolean => view.has(JSON.parse(json));
  const seen = (record: StoredRecord | undefined): StoredRecord | undefined =>
    record !== undefined && isSeen(record) ? record : undefined;
  const find = (id: number): Awaitable<StoredRecord | undefined> => andThen(store.find(id), seen);
  const whereSeen = (document: Document): Document => {
    if (view.has(document)) return document;
    throw new HttpError(problem(problemTypes.forbidden, { detail: beyondView }));
  };

  const whole: Store = {
    ...store,
    view: view.name,
    // The key of an answer from memory does not have the caller.
    source: undefined,
    find,
    batch: (selection, options): Awaitable<FirstBatch> => store.batch(selected(selection), options),
    async *list(selection, options) {
      yield* batchesFrom(await whole.batch(selection, options));
    },
    count: (selection, options) => store.count(selected(selection), options),
    async create(document, options) {
      const creation = await store.create(whereSeen(document), options);
      return creation.kind === "repeated" ? { ...creation, record: seen(creation.record) } : creation;
    },
    replace: (id, document, expectedRevision) =>
      changeInState(find, id, expectedRevision, async ({ revision }) =>
        store.replace(id, whereSeen(document), revision),
      ),
    remove: (id, expectedRevision) =>
      changeInState(find, id, expectedRevision, ({ revision }) => store.remove(id, revision)),
    createAll: (documents, options) => store.createAll(mapped(documents, whereSeen), options),
    // The changes are of records that were found here, in the revisions that they had.
    changeAll: (changes, options) =>
      store.changeAll(
        mapped(changes, (each) => (each.kind === "remove" ? each : { ...each, document: whereSeen(each.document) })),
        options,
      ),
    async changes(after, options) {
      if (after !== undefined && after !== "now" && !after.startsWith(view.name)) throw cursorGone();
      const behind = after === undefined || after === "now" ? after : after.slice(view.name.length);
      const batch: ChangeBatch = await store.changes(behind, options);
      const changes = batch.changes.map((each) =>
        each.kind === "removed" || isSeen(each.record)
          ? each
          : ({ kind: "removed", id: each.record.id, revision: each.record.revision } as const),
      );
      return { ...batch, changes, cursor: `${view.name}${batch.cursor}` };
    },
    within: (owner) => storeSeen(store.within(owner), view),
    transaction: (work, began) => store.transaction((inside, tx) => work(storeSeen(inside, view), tx), began),
  };
  return whole;
}

const beyondView = "Nothing was stored: the record would not be visible to these credentials.";
