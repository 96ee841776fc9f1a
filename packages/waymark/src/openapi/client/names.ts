import { pascalCase } from "../../message-text.ts";

/** The names that a client has, each once. */
export class Names {
  readonly #types: Set<string>;
  readonly #functions: Map<string, string>;

  /** @param taken the names that are not free for others */
  constructor(taken: readonly string[]) {
    this.#types = new Set(taken);
    this.#functions = new Map(taken.map((name) => [name, ""]));
  }

  /** Returns a name for a type, with a number where the wanted one is taken. */
  type(wanted: string): string {
    const base = toTypeName(wanted);
    let name = base;
    for (let i = 2; this.#types.has(name); i++) name = `${base}${i}`;
    this.#types.add(name);
    return name;
  }

  /**
   * Takes the name of a function.
   *
   * @param of what it is for, for the message
   * @throws TypeError when another operation has it
   */
  takeFunction(name: string, of: string): void {
    const other = this.#functions.get(name);
    if (other !== undefined) {
      throw new TypeError(
        `Both ${other} and ${of} would be the function ${name} of a client: give one of them another name(…) or operationId`,
      );
    }
    this.#functions.set(name, of);
  }

  /** Returns whether a function can have the name. */
  isFree(name: string): boolean {
    return !reservedWords.has(name) && this.#functions.get(name) !== "";
  }
}

/** Returns a text as the name of a type: `book.v2` is `BookV2`. */
export function toTypeName(text: string): string {
  const name = pascalCase(text);
  return /^[A-Z]/.test(name) ? name : `Type${name}`;
}

/**
 * Returns the name of an operation as that of a function: as it is where it can be, else in camel case.
 *
 * @param fallback for a name that has neither letters nor digits
 */
export function toFunctionName(operationId: string, fallback: string, names: Names): string {
  const pascal = toTypeName(pascalCase(operationId) === "" ? fallback : operationId);
  const name = /^[A-Za-z_$][\w$]*$/.test(operationId) ? operationId : pascal.charAt(0).toLowerCase() + pascal.slice(1);
  return names.isFree(name) ? name : `${name}Operation`;
}

/** Words that no function of a module can have as its name. */
const reservedWords: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield undefined`.split(/\s+/),
);
