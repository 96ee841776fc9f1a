import { pascalCase } from "../../message-text.ts";
import type { MediaTypeObject, ReferenceObject, ResponseObject } from "../document.ts";
import { problemSchema } from "../problems.ts";
import { resolve } from "../references.ts";
import type { Names } from "./names.ts";
import { type Alternatives, comment, declareInterface, literal, typed, unite } from "./text.ts";
import type { Types } from "./types.ts";

/** What becomes of a request. */
export interface Outcome {
  readonly types: readonly string[];
  /** Those of answers that are not problem documents. */
  readonly statuses: readonly number[];
  readonly problemStatuses: readonly number[];
}

/** The problems of a document: each kind is an interface, known by its code. */
export class Problems {
  readonly #declarations: string[] = [];
  readonly #kinds = new Map<string, string>();
  readonly #refusals = new Map<string, Outcome>();
  readonly #document: object;
  readonly #names: Names;

  /** Declares the problem that all have in common; its name is taken already. */
  constructor(document: object, names: Names, types: Types) {
    this.#document = document;
    this.#names = names;
    types.declare("Problem", withCode);
  }

  /** The declarations of all kinds that were needed. */
  get declarations(): readonly string[] {
    return this.#declarations;
  }

  /** Returns the types of the problems that content can be, by its examples: there is one for each kind. */
  of({ examples = {} }: MediaTypeObject): Alternatives {
    const kinds = Object.entries(examples).map(([code, { value }]) => this.#kind(code, value as Kind)); // of a problem
    return kinds.length === 0 ? ["Problem"] : unite(kinds.map((each) => [each]));
  }

  /** Returns what requests get that do not reach an operation. */
  refusals(response: ResponseObject | ReferenceObject): Outcome {
    const name = "$ref" in response ? (response.$ref.split("/").at(-1) ?? "") : "EarlierRefusal";
    const known = this.#refusals.get(name);
    if (known !== undefined) return known;
    const { content = {} } = resolve<ResponseObject>(this.#document, response);
    const all = Object.entries(content["application/problem+json"]?.examples ?? {});
    const byStatus = Map.groupBy(all, ([, { value }]) => (value as Kind).status); // of a problem
    const statuses = [...byStatus.keys()].toSorted((a, b) => a - b);
    const type = this.#names.type(name);
    const made = { types: [type], statuses: [], problemStatuses: statuses };
    this.#refusals.set(name, made);
    const types = statuses.map((status) => {
      const examples = Object.fromEntries(byStatus.get(status) ?? []);
      return this.refusal(status, this.of({ examples }), `${type}${status}`);
    });
    const about = comment("A refusal of the server, before a request reaches its operation.");
    this.#declarations.push(about + typed(`export type ${type} =`, types));
    return made;
  }

  /** Returns the type of a refusal; its problems get a name where they are many. */
  refusal(status: number, problems: Alternatives, hint: string): string {
    const text = `Refusal<${status}, ${problems.join(" | ")}>`;
    if (text.length <= longest) return text;
    const name = this.#names.type(hint);
    this.#declarations.push(typed(`export type ${name} =`, problems));
    return `Refusal<${status}, ${name}>`;
  }

  #kind(code: string, { title, status }: Kind): string {
    const key = `${code} ${status}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const name = this.#names.type(`${pascalCase(code)}Problem`);
    this.#kinds.set(key, name);
    const members = [`  readonly code: ${literal(code)};`, `  readonly status: ${status};`];
    this.#declarations.push(comment(`${title}.`) + declareInterface(name, members, { base: "Problem" }));
    return name;
  }
}

interface Kind {
  readonly title: string;
  readonly status: number;
}

/** What fits in a line of a union. */
const longest = 110;

const withCode = {
  ...problemSchema,
  required: [...(problemSchema["required"] as readonly string[]), "code"], // it has such a list
  properties: {
    code: { type: "string", description: "What tells the kinds of problems apart: the last segment of the `type`." },
    ...(problemSchema["properties"] as object), // it has properties
  },
};
