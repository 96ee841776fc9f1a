import { type MemberFilter, parseRecord, type Selection, type Store } from "@waymark/collection";
import { foldText } from "@waymark/collection/internal";
import { memberOf, valuesOf } from "../person/member-value.ts";

/** The values of a member that are stored, each once, in their order. */
export interface StoredValues {
  readonly values: readonly string[];
  /** Whether these are all that there are. */
  readonly isComplete: boolean;
}

/**
 * Finds the first 50 values of a member that begin with a text, as people compare text. Each is one read by the index of the member,
 * so that the work does not grow with the people; of a list, the values of the first thousand people who have one.
 *
 * @returns undefined where the values of the member cannot be sought by their beginnings
 */
export async function storedValues(
  store: Store,
  name: string,
  prefix: string,
  signal: AbortSignal,
): Promise<StoredValues | undefined> {
  const member = store.members.find((each) => each.name === name);
  if (member === undefined || (member.type !== "text" && member.type !== "exact")) return undefined;
  const comparable = member.type === "text" ? foldText : (text: string) => text;
  const begins = (value: string): boolean => comparable(value).startsWith(comparable(prefix));
  if (member.isList === true) return valuesOfList(store, { name, prefix, signal, comparable, begins });
  const values: string[] = [];
  let from: MemberFilter = { member: name, operator: "ge", value: prefix };
  while (values.length < most) {
    const selection: Selection = { filters: [from], order: orderBy(name), limit: 1 };
    const { records } = await store.batch(selection, { signal });
    const value = memberOf(parseRecord(records[0]), name);
    if (typeof value !== "string" || !begins(value)) return { values, isComplete: true };
    values.push(value);
    from = { member: name, operator: "gt", value };
  }
  return { values, isComplete: false };
}

const most = 50;
const mostPeople = 1_000;

const orderBy = (member: string): NonNullable<Selection["order"]> => [
  { member, descending: false },
  { member: "id", descending: false },
];

interface SoughtInList {
  readonly name: string;
  readonly prefix: string;
  readonly signal: AbortSignal;
  readonly comparable: (text: string) => string;
  readonly begins: (value: string) => boolean;
}

async function valuesOfList(store: Store, sought: SoughtInList): Promise<StoredValues> {
  const { name, prefix, signal, comparable, begins } = sought;
  const found = new Map<string, string>();
  let people = 0;
  const filters: readonly MemberFilter[] = [{ member: name, operator: "prefix", value: prefix }];
  for await (const records of store.list({ filters, order: orderBy("id").slice(1), limit: mostPeople }, { signal })) {
    people += records.length;
    for (const value of records.flatMap((record) => valuesOf(parseRecord(record), name))) {
      if (typeof value === "string" && begins(value) && !found.has(comparable(value)))
        found.set(comparable(value), value);
    }
  }
  const values = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
  return { values: values.slice(0, most), isComplete: people < mostPeople && values.length <= most };
}
