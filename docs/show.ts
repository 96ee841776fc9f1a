import { inspect } from "node:util";
import { HttpResponse } from "waymark";

/** What the statements of one program have given so far, by their lines. */
export interface Showing {
  readonly results: ReadonlyMap<number, string>;
  /** Takes note of what a statement prints and gives. */
  show(line: number, statement: () => unknown): Promise<void>;
  /** Takes note of a line printed. */
  print(...values: readonly unknown[]): void;
}

const showings = new Map<string, Showing>();

/** The showing of a program by the name of its file; made when it is asked for first. */
export function showingOf(file: string): Showing {
  const known = showings.get(file);
  if (known !== undefined) return known;
  const results = new Map<number, string>();
  let printed: string[] = [];
  const showing: Showing = {
    results,
    async show(line, statement) {
      const given = await display(statement);
      // A call for the sake of what it prints gives nothing.
      results.set(line, [...printed, ...(given === "undefined" && printed.length > 0 ? [] : [given])].join("\n"));
      printed = [];
    },
    print(...values) {
      printed.push(values.map(toText).join(" "));
    },
  };
  showings.set(file, showing);
  return showing;
}

async function display(statement: () => unknown): Promise<string> {
  let value: unknown;
  try {
    value = await statement();
  } catch (error) {
    return toText(error);
  }
  if (value instanceof HttpResponse) return join(value.status, await textOf(value.body));
  if (value instanceof Response) return join(value.status, await value.text());
  return toText(value);
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return inspect(value, { breakLength: 100, depth: 8 });
}

const join = (status: number, body: string): string => (body === "" ? String(status) : `${status} ${body}`);

async function textOf(body: HttpResponse["body"]): Promise<string> {
  if (body === null || typeof body === "string") return body ?? "";
  const decoder = new TextDecoder();
  if (body instanceof Uint8Array) return decoder.decode(body);
  let text = "";
  for await (const piece of body) text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
  return text;
}
