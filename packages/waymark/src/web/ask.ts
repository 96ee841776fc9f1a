import { isNone } from "../answer/answered.ts";
import type { App } from "../app.ts";
import { readWhole } from "../body/response-body.ts";
import { hasNoContent } from "../body/sent-fields.ts";
import { requireOptions } from "../common/known-options.ts";
import { decodeUtf8 } from "../content/decoder.ts";
import type { StandardSchemaV1, ValueOf } from "../content/standard-schema.ts";
import type { HttpRequestInit } from "../exchange/exchange.ts";
import { HeaderList } from "../fields/header-list.ts";
import { isJson, withoutParameters } from "../fields/media-type.ts";
import { HttpRequest } from "../request.ts";
import { type HttpResponse, jsonText, type NoContent } from "../response.ts";

/** What a request of `ask` has besides its method and its target. One of `json`, `form` and `body` at most. */
export interface AskOptions<A extends AnswersAsked = AnswersAsked> {
  /** Sent as `application/json`. */
  readonly json?: unknown;
  /** Sent as a form of a page: `FormData`, which may have files, in parts. */
  readonly form?: Readonly<Record<string, string | readonly string[]>> | FormData;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** A bearer token; or, with a blank in it, the whole of Authorization. */
  readonly as?: string;
  /** By name: those of an earlier answer, for instance. */
  readonly cookies?: Iterable<readonly [name: string, value: string]>;
  /** The statuses that the answer may have, and the schema of the value of each. It is validated, and has their types. */
  readonly answers?: A;
}

type AnswersAsked = Readonly<Record<number, StandardSchemaV1 | NoContent>>;

/** What an app has answered, with its content read. */
export interface Answered<S = number, T = unknown> {
  readonly status: S;
  readonly headers: HeaderList;
  /** JSON as a value, other content as text where it is that, else as bytes; undefined where there is none. */
  readonly value: T;
  /** The cookies that the answer sets, by name, and without those that it removes. */
  readonly cookies: ReadonlyMap<string, string>;
}

/** The answers of each status, by their types. */
type AnsweredWith<A extends AnswersAsked> = {
  [S in keyof A]: Answered<S, A[S] extends NoContent ? undefined : ValueOf<A[S]>>;
}[keyof A];

/**
 * Asks an app in this process, without a socket, and reads the whole answer: for tests.
 *
 * ```ts
 * const { status, value } = await ask(app, "POST /orders", { json: { book: 1 }, as: adminKey });
 * const { value } = await ask(app, "GET /orders/1", { answers: { 200: Order } });   // an Order
 * ```
 *
 * @throws TypeError when the line is not a method and a target, or the answer is none of `answers`
 */
export function ask<const A extends AnswersAsked>(
  app: Pick<App, "handle">,
  line: string,
  options: AskOptions<A> & { readonly answers: A },
): Promise<AnsweredWith<A>>;
export function ask<T = unknown>(
  app: Pick<App, "handle">,
  line: string,
  options?: AskOptions,
): Promise<Answered<number, T>>;
export async function ask(app: Pick<App, "handle">, line: string, options: AskOptions = {}): Promise<object> {
  requireOptions("ask(app, …, { … })", options, ["json", "form", "body", "headers", "as", "cookies", "answers"]);
  const [, method, target] = /^(\S+) (\S+)$/.exec(line) ?? [];
  if (method === undefined || target === undefined) {
    throw new TypeError(`ask(app, …) takes a method and a target, such as "GET /books", not ${JSON.stringify(line)}`);
  }
  const { answers } = options;
  const response = await app.handle(HttpRequest.of({ method, target, ...(await contentOf(options)) }));
  const value = await readValue(response, method);
  return {
    status: response.status,
    headers: response.headers,
    value: answers === undefined ? value : await validated(value, answers, response.status, line),
    cookies: cookiesOf(response.headers),
  };
}

async function contentOf(options: AskOptions): Promise<Pick<HttpRequestInit, "headers" | "body">> {
  const { json, form, body, headers = {}, as, cookies } = options;
  if ([json, form, body].filter((each) => each !== undefined).length > 1) {
    throw new TypeError("ask(app, …) takes one of json, form and body");
  }
  let fields = HeaderList.of(headers);
  const add = (name: string, value: string): void => {
    if (!fields.has(name)) fields = fields.with(name, value);
  };
  if (as !== undefined) add("Authorization", as.includes(" ") ? as : `Bearer ${as}`);
  if (cookies !== undefined) add("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
  if (json !== undefined) add("Content-Type", "application/json");
  if (form === undefined)
    return { headers: fields, ...((json ?? body) !== undefined && { body: body ?? jsonText(json) }) };
  const pairs = Object.entries(form).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  const sent = new Response(form instanceof FormData ? form : new URLSearchParams(pairs));
  // As browsers say it, without a charset.
  add("Content-Type", sent.headers.get("Content-Type")?.replace(/;charset=.*/, "") ?? "");
  return { headers: fields, body: new Uint8Array(await sent.arrayBuffer()) };
}

async function readValue({ status, body, headers }: HttpResponse, method: string): Promise<unknown> {
  const bytes = await readWhole(hasNoContent(method, status) ? null : body, headers);
  if (bytes.length === 0) return undefined;
  const type = withoutParameters(headers.get("Content-Type") ?? "");
  if (isJson(type)) return JSON.parse(decodeUtf8(bytes));
  return /^(?:text\/.*|.*[/+]xml)$/.test(type) ? decodeUtf8(bytes) : bytes;
}

async function validated(value: unknown, answers: AnswersAsked, status: number, line: string): Promise<unknown> {
  const schema = answers[status];
  if (schema === undefined) {
    const said = value === undefined ? "" : `: ${jsonText(value)}`;
    throw new TypeError(`${line} → ${status}, which is none of ${Object.keys(answers).join(", ")}${said}`);
  }
  if (isNone(schema)) {
    if (value === undefined) return undefined;
    throw new TypeError(`${line} → ${status}: content where there should be none`);
  }
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const listed = result.issues.map(({ message, path = [] }) =>
    [...path.map((key) => String(typeof key === "object" ? key.key : key)), message].join(" "),
  );
  throw new TypeError(`${line} → ${status}: ${listed.join("; ")}`);
}

function cookiesOf(headers: HeaderList): ReadonlyMap<string, string> {
  const set = headers.getAll("Set-Cookie").filter((each) => !/;\s*max-age=0\s*(?:;|$)/i.test(each));
  return new Map(
    set.map((each) => /^\s*([^=;]*)=([^;]*)/.exec(each) ?? []).map(([, name = "", value = ""]) => [name, value]),
  );
}
