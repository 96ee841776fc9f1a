import { firstCharacters } from "../../../members/value.ts";
import type { ListMember } from "../../contract/selection.ts";
import { Dialect, type ListFilter, type Operator } from "../../reading/conditions.ts";
import { type ComparedColumn, indexedLength, orderTerm } from "./columns.ts";
import { valuesCondition, wordsCondition } from "./elements.ts";
import { toArrayText } from "./sql.ts";

/** The columns of the members that can be selected by. */
export type Columns = ReadonlyMap<string, ComparedColumn>;

export class PostgresDialect extends Dialect<ComparedColumn> {
  readonly #columns: Columns;
  readonly #isForMany: boolean;
  /** The types of the values for each. */
  readonly #types: string[] = [];

  /** @param isForMany whether each added value is an element of an array, so that `each` makes a row of every element */
  constructor(columns: Columns, isForMany = false) {
    super();
    this.#columns = columns;
    this.#isForMany = isForMany;
  }

  override add(value: string | number, type: string = typeof value === "string" ? "text" : "bigint"): string {
    if (!this.#isForMany) return `$${this.values.push(value)}`;
    this.#types.push(type);
    return `each.v${this.values.push(toArrayText([value]))}`;
  }

  /** Writes the source of the added values, which comes before that of the rows that they select; its rows have a place, from 1. */
  get each(): string {
    if (this.#types.length === 0) return "(SELECT 1) AS each (place)";
    // Behind a SELECT, the server does not count the elements: for few, it would not keep a plan.
    const arrays = this.#types.map((type, position) => `(SELECT $${position + 1}::${type}[])`);
    const names = this.#types.map((_type, position) => `v${position + 1}`);
    return `unnest(${arrays.join(", ")}) WITH ORDINALITY AS each (${names.join(", ")}, place)`;
  }

  override column(member: string): ComparedColumn {
    return this.#columns.get(member) as ComparedColumn; // the selection was asserted
  }

  override compare(member: string, operator: Operator, value: string | number): string {
    return this.#compare(this.column(member), operator, value);
  }

  override comparePlace(member: string, operator: Operator, value: string | number): string {
    const place = typeof value === "string" ? firstCharacters(value, indexedLength) : value;
    return this.#compare({ ...this.column(member), whole: undefined }, operator, place);
  }

  override exists(member: string, isPresent: boolean): string {
    return `${this.column(member).sql} IS ${isPresent ? "NOT NULL" : "NULL"}`;
  }

  override isOneOf(member: string, sought: readonly (string | number)[]): string {
    const column = this.column(member);
    const values = sought.filter((value) => !column.isInteger || isWhole(Number(value)));
    return `${operand(column, values)} = ANY(${this.add(toArrayText(values))})`;
  }

  override hasValue({ name }: ListMember, filter: ListFilter): string {
    return valuesCondition(this.column(name).sql, filter, (value) => this.add(value));
  }

  override hasWords(words: readonly string[]): string {
    return wordsCondition(this.column("").sql, words, (value) => this.add(value));
  }

  override orderTerm(column: ComparedColumn, descending: boolean): string {
    return orderTerm(column, descending);
  }

  #compare(column: ComparedColumn, operator: Operator, value: string | number): string {
    if (typeof value === "number" && column.isInteger) return this.#compareInteger(column, operator, value);
    const type = typeof value === "string" ? "text" : "double precision";
    return `${operand(column, [value])} ${operator} ${this.add(value, type)}`;
  }

  /** The server refuses to compare whole numbers with a fraction, or with a number that is too great. */
  #compareInteger({ sql }: ComparedColumn, operator: Operator, value: number): string {
    if (operator === "=" && !isWhole(value)) return "false";
    // Below 1.5 is below 2, and up to 1.5 is up to 1.
    const whole = operator === "<" || operator === ">=" ? Math.ceil(value) : Math.floor(value);
    return `${sql} ${operator} ${this.add(Math.min(greatest, Math.max(-greatest, whole)))}`;
  }
}

/** Returns the indexed expression or, where that may have only the beginning of a value, the expression for the whole. */
function operand({ sql, whole }: ComparedColumn, values: readonly (string | number)[]): string {
  return whole !== undefined && values.some((value) => typeof value === "string" && isCut(value)) ? whole : sql;
}

const isWhole = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= greatest;

/** Greater than every value of a column, and less than the server's own limit. */
const greatest = 2 ** 62;

/** Returns whether a text is at least as long as the part that an index has. */
const isCut = (text: string): boolean => text.length >= indexedLength && Array.from(text).length >= indexedLength;
