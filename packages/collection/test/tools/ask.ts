import type { App } from "waymark";

/** An answer whose content has been read. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** What JSON says; undefined for other content. */
  readonly value: ReturnType<typeof JSON.parse>;
  readonly header: (name: string) => string | undefined;
  /** The targets of the field Link, by relation. */
  readonly links: Readonly<Record<string, string>>;
}

/**
 * What an app answers to `ask(app, "POST /books", { Prefer: "return=representation" }, { title: "Emma" })`. The content is sent as
 * `application/json` unless the header fields say something else; a text as it is.
 */
export async function ask(
  app: Pick<App, "fetch">,
  line: string,
  headers: Readonly<Record<string, string>> = {},
  content?: unknown,
): Promise<Answer> {
  const [method = "", target = ""] = line.split(" ");
  const sent = content !== undefined && {
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof content === "string" ? content : JSON.stringify(content),
  };
  const response = await app.fetch(new Request(new URL(target, "http://localhost"), { method, headers, ...sent }));
  const text = await response.text();
  const links = (response.headers.get("Link") ?? "").matchAll(/<([^>]*)>; rel="([a-z]+)"/g);
  return {
    status: response.status,
    text,
    value: /\bjson$/.test(response.headers.get("Content-Type") ?? "") && text !== "" ? JSON.parse(text) : undefined,
    header: (name) => response.headers.get(name) ?? undefined,
    links: Object.fromEntries(Array.from(links, ([, to, relation]) => [relation, to])),
  };
}

/** The ids in a list. */
export const idsOf = ({ value }: Answer): readonly number[] => value.map(({ id }: { readonly id: number }) => id);
