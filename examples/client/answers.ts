/** What openapi-fetch leaves to its caller: problems by their code, pages and events as iterators. Take it as it is. */

/** What a function of openapi-fetch returns. */
export type Answer<T> =
  | { readonly data: T; readonly error?: never; readonly response: Response }
  | { readonly data?: never; readonly error: unknown; readonly response: Response };

/** The codes of the problems that an operation declares, such as `"conflict"`; undefined for another refusal. */
export type Code<E> = E extends { readonly type: `${string}/problems/${infer C}` } ? C : undefined;

/** Returns the code of a problem: what a `switch` is on. */
export function codeOf<E>(error: E): Code<E> {
  const { type } = Object(error);
  // The document says which codes there are, and the type is made of it.
  return (typeof type === "string" ? type.split("/").at(-1) : undefined) as Code<E>;
}

/** An answer that is not a success, thrown by `successOf`. */
export class RefusedError extends Error {
  readonly response: Response;

  constructor(error: unknown, response: Response) {
    const { title, detail = title } = Object(error);
    super(`${response.status}: ${detail ?? "without a problem document"}`, { cause: error });
    this.response = response;
  }
}

/** Returns the content of a success. @throws RefusedError for another answer */
export function successOf<T>({ data, error, response }: Answer<T>): T {
  if (!response.ok) throw new RefusedError(error, response);
  return data as T; // A success has what its status declares, also where that is no content.
}

/** Gets the pages of a list, each when it is asked for: `pages((query) => api.GET("/person", { params: { query } }), { limit: 4 })`. */
export async function* pages<Q extends object, T>(get: (query: Q) => Promise<Answer<T>>, first: Q): AsyncGenerator<T> {
  let [query, last] = [first, ""];
  while (true) {
    const answer = await get(query);
    yield successOf(answer);
    const next = /<[^>?]*\?([^>]*)>\s*;\s*rel="?next"?/.exec(answer.response.headers.get("Link") ?? "")?.[1];
    // The Link of a feed leads to itself where nothing follows yet. Only the query is taken, so credentials stay where they are.
    if (next === undefined || next === last) return;
    last = next;
    const parameters = new URLSearchParams(next);
    query = Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)])) as Q; // It is the server's.
  }
}

/** One event of a stream. `id` is where to go on behind it; only the last of several events has one. */
export interface StreamEvent {
  readonly data: string;
  readonly id: string | undefined;
}

/**
 * Follows a stream of events, and opens it again behind the last id when the connection is lost or the server is away. It ends when
 * the caller leaves the loop. @throws RefusedError when it is refused for good
 */
export async function* events(
  open: (headers: Record<string, string>) => Promise<Answer<ReadableStream<Uint8Array> | null>>,
  after?: string,
): AsyncGenerator<StreamEvent> {
  let [last, wait] = [after, 1000];
  while (true) {
    let pause = wait;
    try {
      const answer = await open({ Accept: "text/event-stream", ...(last !== undefined && { "Last-Event-ID": last }) });
      pause = 1000 * Number(answer.response.headers.get("Retry-After")) || wait;
      const text = successOf(answer)?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
      let rest = "";
      for await (const piece of text ?? []) {
        const blocks = `${rest}${piece}`.split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const fields = Array.from(block.matchAll(/^(data|id|retry): (.*)$/gm), ([, name, value = ""]) => ({
            name,
            value,
          }));
          const valuesOf = (name: string) => fields.filter((field) => field.name === name).map(({ value }) => value);
          wait = pause = Number(valuesOf("retry")[0] ?? wait);
          const [data, id] = [valuesOf("data"), valuesOf("id")[0]];
          last = id ?? last;
          if (data.length > 0) yield { data: data.join("\n"), id };
        }
      }
    } catch (error) {
      // What fetch throws is a TypeError; a server that is away is 502 to 504.
      const isAway = error instanceof RefusedError ? error.response.status > 501 : error instanceof TypeError;
      if (!isAway) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
