/** The path of the service, behind a proxy too: this module is one of its assets. */
export const base: string = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** A problem document of the service (RFC 9457). */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly refused?: number;
  readonly errors?: readonly Fault[];
}

/** What is wrong with a value. */
export interface Fault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly id?: number;
  readonly line?: number;
  readonly detail?: string;
  readonly code?: string;
  readonly found?: unknown;
}

export interface Answer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** A request that the service refused. */
export class Refusal extends Error {
  readonly status: number;
  readonly problem: Problem;
  /** After how many seconds it may be sent again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Problem, headers: Headers) {
    super(problem.detail ?? `${status}`);
    this.status = status;
    this.problem = problem;
    this.retryAfter = headers.has("Retry-After") ? Number(headers.get("Retry-After")) : undefined;
  }

  /** The last part of the type: `wrong-credentials`. */
  get code(): string {
    return this.problem.type?.split("/").at(-1) ?? "";
  }
}

/** A request without an answer: the line is cut, or the service away. */
export class NoAnswer extends Error {}

/** What a request has beside its method and path. */
export interface Sent {
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly keepalive?: boolean;
}

/** Asks somebody to sign in where a change needs it; resolves with whether they did. Set by the page. */
export const session: { renew: () => Promise<boolean> } = { renew: async () => false };

/**
 * Sends a request to the API. One that changes something waits for the reader to sign in again where the session is over.
 *
 * @throws Refusal, NoAnswer; the reason of the signal
 */
export async function ask<T = undefined>(method: string, path: string, sent: Sent = {}): Promise<Answer<T>> {
  const { json, signal, keepalive = false } = sent;
  const headers = {
    Accept: "application/json",
    ...(json !== undefined && { "Content-Type": "application/json" }),
    ...sent.headers,
  };
  const body = json === undefined ? null : JSON.stringify(json);
  const answer = await fetch(base + path, { method, headers, body, keepalive, signal: signal ?? null }).catch(
    (error) => {
      throw signal?.aborted ? error : new NoAnswer();
    },
  );
  const text = await answer.text().catch(() => {
    throw new NoAnswer();
  });
  const isRenewed = method !== "GET" && path !== "/session";
  return toAnswer(answer, text, isRenewed ? () => ask(method, path, sent) : undefined);
}

/** @param again sends the request once more, when somebody has signed in */
async function toAnswer<T>(
  { status, headers }: Pick<Response, "status" | "headers">,
  text: string,
  again: (() => Promise<Answer<T>>) | undefined,
): Promise<Answer<T>> {
  const isJson = /[/+]json/.test(headers.get("Content-Type") ?? "");
  const value = text !== "" && isJson ? JSON.parse(text) : undefined;
  if (status < 300) return { value: value ?? (text as T), headers };
  if (status === 401 && again !== undefined && (await session.renew())) return again();
  throw new Refusal(status, value ?? {}, headers);
}

/** Returns the query that a link of an answer leads to (RFC 8288). */
export function linkOf(headers: Headers, rel: string): string | undefined {
  const link = (headers.get("Link") ?? "").split(/,\s*(?=<)/).find((each) => each.includes(`rel="${rel}"`));
  const target = /^<([^>]*)>/.exec(link ?? "")?.[1];
  return target === undefined ? undefined : new URL(target, location.href).search;
}

/** Sends a file as it is; fetch says nothing of the progress of what it sends. */
export function sendFile<T>(
  path: string,
  file: File,
  headers: Readonly<Record<string, string>>,
  sent: Sending,
): Promise<Answer<T>> {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    sent.signal.addEventListener("abort", () => request.abort());
    request.upload.onprogress = ({ loaded, total }) => sent.progress(loaded < total ? loaded / total : undefined);
    request.onabort = () => reject(sent.signal.reason);
    request.onerror = () => reject(new NoAnswer());
    request.onload = () => {
      const lines = request.getAllResponseHeaders().trim().split("\r\n");
      const fields = new Headers(
        lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
      );
      const answer = { status: request.status, headers: fields };
      resolve(toAnswer<T>(answer, request.responseText, () => sendFile(path, file, headers, sent)));
    };
    request.open("POST", base + path);
    for (const [name, value] of Object.entries({ Accept: "application/json", ...headers }))
      request.setRequestHeader(name, value);
    request.send(file);
  });
}

/** How a file is sent: what ends it, and what is told of its progress, from 0 to 1, or undefined while the service works. */
export interface Sending {
  readonly signal: AbortSignal;
  readonly progress: (share: number | undefined) => void;
}
