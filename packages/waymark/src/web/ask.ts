import type { App } from "../app.ts";
import { joinBytes } from "../content/coding.ts";
import { decodeUtf8 } from "../content/decoder.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import type { HttpRequestInit } from "../exchange.ts";
import { HeaderList } from "../fields/header-list.ts";
import { isJson, withoutParameters } from "../fields/media-type.ts";
import { requireKnownOptions } from "../known-options.ts";
import { HttpRequest } from "../request.ts";
import { type HttpResponse, hasNoContent, jsonText } from "../response.ts";
import { openBody } from "../response-body.ts";

/** What a request of `ask` has besides its method and its target. One of `json`, `form` and `body` at most. */
export interface AskOptions<T = unknown> {
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
  /** What the value of the answer must be. It is validated, and gives `value` its type. */
  readonly schema?: StandardSchemaV1<unknown, T>;
}

/** What an app has answered, with its content read. */
export interface Answered<T = unknown> {
  readonly status: number;
  readonly headers: HeaderList;
  /** JSON as a value, other content as text where it is that, else as bytes; undefined where there is none. */
  readonly value: T;
  /** The cookies that the answer sets, by name, and without those that it removes. */
  readonly cookies: ReadonlyMap<string, string>;
}

/**
 * Asks an app in this process, without a socket, and reads the whole answer: for tests.
 *
 * ```ts
 * const { status, value } = await ask(app, "POST /orders", { json: { book: 1 }, as: adminKey });
 * const { value } = await ask(app, "GET /orders/1", { schema: Order });   // an Order
 * ```
 *
 * @throws TypeError when the line is not a method and a target, or the answer breaks the schema
 */
export async function ask<T = unknown>(
  app: Pick<App, "handle">,
  line: string,
  options: AskOptions<T> = {},
): Promise<Answered<T>> {
  requireKnownOptions("ask(app, …, { … })", options, ["json", "form", "body", "headers", "as", "cookies", "schema"]);
  const [, method, target] = /^(\S+) (\S+)$/.exec(line) ?? [];
  if (method === undefined || target === undefined) {
    throw new TypeError(`ask(app, …) takes a method and a target, such as "GET /books", not ${JSON.stringify(line)}`);
  }
  const response = await app.handle(HttpRequest.of({ method, target, ...(await contentOf(options)) }));
  const value = await readValue(response, method);
  return {
    status: response.status,
    headers: response.headers,
    value: await validated(value, options.schema, `${line} → ${response.status}`),
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
  const pieces: Uint8Array[] = [];
  const source =
    body === null || hasNoContent(method, status)
      ? undefined
      : openBody(typeof body === "string" || body instanceof Uint8Array ? [body] : body, headers);
  for (let step = await source?.next(); step !== undefined && step.done !== true; step = await source?.next()) {
    pieces.push(typeof step.value === "string" ? new TextEncoder().encode(step.value) : step.value);
  }
  const bytes = joinBytes(pieces);
  if (bytes.length === 0) return undefined;
  const type = withoutParameters(headers.get("Content-Type") ?? "");
  if (isJson(type)) return JSON.parse(decodeUtf8(bytes));
  return /^(?:text\/.*|.*[/+]xml)$/.test(type) ? decodeUtf8(bytes) : bytes;
}

async function validated<T>(
  value: unknown,
  schema: StandardSchemaV1<unknown, T> | undefined,
  line: string,
): Promise<T> {
  if (schema === undefined) return value as T; // unknown, where nobody names a type
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const listed = result.issues.map(({ message, path = [] }) =>
    [...path.map((key) => String(typeof key === "object" ? key.key : key)), message].join(" "),
  );
  throw new TypeError(`${line}: ${listed.join("; ")}`);
}

function cookiesOf(headers: HeaderList): ReadonlyMap<string, string> {
  const set = headers.getAll("Set-Cookie").filter((each) => !/;\s*max-age=0\s*(?:;|$)/i.test(each));
  return new Map(
    set.map((each) => /^\s*([^=;]*)=([^;]*)/.exec(each) ?? []).map(([, name = "", value = ""]) => [name, value]),
  );
}
