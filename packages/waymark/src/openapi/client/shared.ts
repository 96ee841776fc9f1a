/**
 * What every client begins with, whatever its operations: it sends requests and reads answers.
 *
 * @param readsText matches the media types whose content is text
 */
export const sharedPart = (readsText: RegExp): string => String.raw`
/** Where an API is, and how it is reached. */
export interface Api {
  /** The address that paths come behind, such as https://api.example.org; in a page, it may be empty. */
  readonly baseUrl: string;
  /** Header fields of every request, such as Authorization. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What sends a request. Default: the fetch of the platform. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** What every function takes. */
export interface Input {
  /** Ends the request, and the reading of its answer. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer that says that it is done: its status is from 200 to 299. */
export interface Success<Status extends number, Content = undefined> {
  readonly ok: true;
  readonly status: Status;
  readonly headers: Headers;
  /** The entity tag, for If-Match and If-None-Match. */
  readonly etag: string | undefined;
  readonly content: Content;
  readonly problem?: undefined;
}

/** Any other answer that is not a problem document. */
export interface Failure<Status extends number, Content = undefined> {
  readonly ok: false;
  readonly status: Status;
  readonly headers: Headers;
  readonly etag: string | undefined;
  readonly content: Content;
  readonly problem?: undefined;
}

/** An answer that is a problem document (RFC 9457); the code of the problem says which one. */
export interface Refusal<Status extends number, OfProblem extends Problem = Problem> {
  readonly ok: false;
  readonly status: Status;
  readonly headers: Headers;
  readonly etag: string | undefined;
  readonly content?: undefined;
  readonly problem: OfProblem;
}

/** Any answer that is not a success. */
export type NoSuccess = Failure<number, unknown> | Refusal<number>;

/** The statuses of success, where an operation does not say which of them it has. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;

/** Content that is sent as it is. */
export type RawContent = string | Blob | ArrayBuffer;

/** Thrown for an answer that is not a success where one is needed, and for one that the document of the API does not have. */
export class AnswerError extends Error {
  readonly answer: Success<number, unknown> | NoSuccess;

  constructor(message: string, answer: Success<number, unknown> | NoSuccess) {
    super(message);
    this.name = "AnswerError";
    this.answer = answer;
  }
}

/** Returns the answer if it is a success, and throws an AnswerError with any other. */
export function successOf<Answer extends Success<number, unknown> | NoSuccess>(
  answer: Answer,
): Extract<Answer, { readonly ok: true }> {
  if (answer.ok) return answer as Extract<Answer, { readonly ok: true }>; // since it is
  const { title, detail } = answer.problem ?? {};
  const parts = [answer.status, title ?? "without a problem document", detail];
  throw new AnswerError(parts.filter(Boolean).join(": "), answer);
}

interface Operation {
  readonly method: string;
  readonly path: string;
  /** The statuses of answers that are not problem documents. */
  readonly answers: readonly number[];
  /** The statuses of problem documents. */
  readonly problems: readonly number[];
  readonly accept?: string;
  readonly contentType?: string;
  /** How query parameters are written that are not a parameter for each value. */
  readonly styles?: Readonly<Record<string, "joined" | "deep">>;
}

interface AnyInput extends Input {
  readonly query?: object | undefined;
  readonly fields?: object | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

async function send<Answer>(api: Api, input: AnyInput, operation: Operation): Promise<Answer> {
  const { baseUrl, fetch = globalThis.fetch } = api;
  const { query = {}, fields = {}, body, signal = null } = input;
  const { accept = operation.accept, contentType = operation.contentType } = input;
  const { method, path, styles = {} } = operation;
  const headers = new Headers(api.headers);
  headers.set("Accept", accept === undefined ? "*/*" : accept + ", application/problem+json");
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) headers.set(name, String(value));
  // The platform writes the Content-Type of a form with its boundary.
  const hasType = body !== undefined && contentType !== undefined && !(body instanceof FormData);
  if (hasType) headers.set("Content-Type", contentType);
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) append(parameters, name, value, styles[name]);
  const search = parameters.toString();
  const url = baseUrl.replace(/\/$/, "") + path + (search === "" ? "" : "?" + search);
  const request = new Request(url, { method, headers, body: encode(body, contentType ?? ""), signal });
  const response = await fetch(request);
  const type = mediaType(response.headers.get("Content-Type"));
  const { status, ok } = response;
  const content = await decode(response, type);
  // An answer to HEAD has the type of a problem, and none.
  const isProblem = type === "application/problem+json" && content !== undefined;
  const etag = response.headers.get("ETag") ?? undefined;
  const common = { ok, status, headers: response.headers, etag };
  // The types of the operation say what is known of it, and what is checked here.
  const answer = (isProblem ? { ...common, problem: withCode(content) } : { ...common, content }) as NoSuccess;
  const isKnown = (isProblem ? operation.problems : operation.answers).includes(status);
  const isAsked = !ok || content === undefined || accept === undefined || mediaType(accept) === type;
  if (isKnown && isAsked) return answer as Answer;
  const found = method + " " + path + " was answered by " + status + (type === "" ? "" : " in " + type);
  throw new AnswerError(found + ", which the client does not know", answer);
}

const mediaType = (field: string | null): string => /^[^;\s]*/.exec(field ?? "")?.[0].toLowerCase() ?? "";

function append(to: URLSearchParams, name: string, value: unknown, style?: "joined" | "deep"): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const each of style === "joined" ? [value.join()] : value) append(to, name, each);
  } else if (typeof value === "object") {
    for (const [key, each] of Object.entries(value)) append(to, style === "deep" ? name + "[" + key + "]" : key, each);
  } else {
    to.append(name, String(value));
  }
}

function encode(body: unknown, contentType: string): RawContent | FormData | URLSearchParams | null {
  if (body === undefined) return null;
  if (/[/+]json\b/i.test(contentType)) return JSON.stringify(body);
  if (mediaType(contentType) !== "application/x-www-form-urlencoded") return body as RawContent | FormData; // by its type
  const form = new URLSearchParams();
  append(form, "", body);
  return form;
}

async function decode(response: Response, type: string): Promise<unknown> {
  if (type === "text/event-stream") return response.body;
  if (/[/+]json$/.test(type)) {
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  }
  const readsText = ${readsText};
  if (readsText.test(type)) return response.text();
  const blob = await response.blob();
  return blob.size === 0 ? undefined : blob;
}

function withCode(problem: unknown): Problem {
  const document = problem as Omit<Problem, "code">; // by its media type
  // A gateway may leave the type out (RFC 9457 §3.1.1).
  const { type = "about:blank" } = document;
  return { ...document, type, code: type.slice(type.lastIndexOf("/") + 1) };
}
`;

/** What a client has besides where its paths have variables. */
export const segmentPart = `
function segment(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.map((each) => segment(name, each)).join("/") : String(value);
  if (["", ".", ".."].includes(text)) throw new TypeError(name + " must not be " + JSON.stringify(text) + " in a path");
  return Array.isArray(value) ? text : encodeURIComponent(text);
}
`;

/** What a client has besides where an operation has pages. */
export const pagesPart: string = String.raw`
async function* follow<Page extends Success<number, unknown>>(
  api: Api,
  read: (api: Api) => Promise<Page | NoSuccess>,
): AsyncGenerator<Page, void> {
  const { fetch = globalThis.fetch } = api;
  let url: string | undefined;
  const at: Api = {
    ...api,
    fetch: (request) => {
      const moved = url === undefined ? request : new Request(url, request);
      ({ url } = moved);
      return fetch(moved);
    },
  };
  for (;;) {
    const page = successOf<Page | NoSuccess>(await read(at)) as Page; // a success of those two
    yield page;
    const next = nextOf(page.headers.get("Link"), url);
    // The last page of what goes on later leads to itself.
    if (next === undefined || next.href === url) return;
    const isHere = next.origin === new URL(url ?? "").origin;
    if (!isHere) throw new AnswerError("The next page is at another origin: " + next.href, page);
    url = next.href;
  }
}

function nextOf(link: string | null, base: string | undefined): URL | undefined {
  for (const [, target = "", relations = ""] of (link ?? "").matchAll(/<([^>]*)>[^<]*?;\s*rel="?([^";,]*)/gi)) {
    if (relations.split(" ").includes("next")) return new URL(target, base);
  }
  return undefined;
}
`;
