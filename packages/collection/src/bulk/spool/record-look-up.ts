import { comparedValue, memberValue } from "../../members/value.ts";
import type { MemberFilter } from "../../stores/contract/selection.ts";
import type { Store, StoredRecord } from "../../stores/contract/store.ts";

/** Looks up the stored records that have the values of lines. */
export class RecordLookUp {
  readonly #store: Store;
  #had: Promise<boolean> | undefined;

  /**
   * @param members those whose values are looked up
   * @throws TypeError when the store cannot filter by one of them
   */
  constructor(store: Store, members: readonly string[]) {
    const unknown = members.find((name) => !store.members.some((member) => member.name === name));
    if (unknown !== undefined) throw new TypeError(`The records cannot be filtered by ${JSON.stringify(unknown)}`);
    this.#store = store;
  }

  /** Returns whether there were records before the first lines: without any, no line is likely stored already. */
  existed(): Promise<boolean> {
    this.#had ??= firstRecords(this.#store, [], 1).then(({ length }) => length > 0);
    return this.#had;
  }

  /** Returns the records that have the values of a line, of all these members, for each line: at most so many. */
  async find(
    lines: readonly unknown[],
    members: readonly string[],
    most: number,
  ): Promise<readonly (readonly StoredRecord[])[]> {
    const store = this.#store;
    const found: (readonly StoredRecord[])[] = lines.map(() => []);
    const [first] = members;
    if (first === undefined) return found;
    const asked = lines.flatMap((line, position) => {
      const filters = this.#filtersFor(line, members);
      return filters === undefined ? [] : [{ position, filters }];
    });
    for (let start = 0; start < asked.length; start += atOnce) {
      const some = asked.slice(start, start + atOnce);
      const values = [...new Set(some.map(({ filters: [{ value }] }) => value))];
      // Of most lists, either no line or almost every one has a record.
      if ((await firstRecords(store, [{ member: first, operator: "in", values }], 1)).length === 0) continue;
      await Promise.all(
        some.map(async ({ position, filters }) => {
          found[position] = await firstRecords(store, filters, most);
        }),
      );
    }
    return found;
  }

  /** Undefined where the line lacks a value. */
  #filtersFor(line: unknown, members: readonly string[]): readonly [Equal, ...Equal[]] | undefined {
    const filters: Equal[] = [];
    for (const member of members) {
      const value = this.valueOf(line, member);
      // No database has such a text.
      if (value === null || (typeof value === "string" && value.includes("\u0000"))) return undefined;
      filters.push({ member, operator: "eq", value });
    }
    const [first, ...others] = filters;
    return first && [first, ...others];
  }

  /** Returns the value of a line as it is compared; null where the line lacks it. */
  valueOf(line: unknown, name: string): string | number | null {
    const type = this.#store.members.find((member) => member.name === name)?.type;
    const value = memberValue(line, name, type);
    return value === null || type === undefined ? null : comparedValue(value, type);
  }
}

type Equal = Extract<MemberFilter, { readonly value: string | number }> & { readonly operator: "eq" };

/** How many lines are looked up at once: each value is a parameter of a statement. */
const atOnce = 100;

async function firstRecords(
  store: Store,
  filters: readonly MemberFilter[],
  limit: number,
): Promise<readonly StoredRecord[]> {
  return (await store.batch({ filters, limit })).records;
}
