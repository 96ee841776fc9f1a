/** The values of a statement, in the order of their `$1`, `$2`, …. */
export class StatementValues {
  readonly all: (string | number)[] = [];

  /** The parameter that stands for the value. */
  add(value: string | number): string {
    return `$${this.all.push(value)}`;
  }
}
