/**
 * A shop for browsers: pages, cookies, a session, files both ways, JSON that leaks nothing, a log and metrics, and an old application that
 * moves here route by route.
 *
 *   SESSION_KEY=$(openssl rand -base64 32) OFFICE_PASSWORD=sesame npm run example examples/bookshop.ts
 *
 *   curl -i localhost:8080/books -H 'Accept: application/json'
 *   curl -i localhost:8080/office/metrics -u office:sesame
 *   curl -i localhost:8080/anything/else
 */
import { timingSafeEqual } from "node:crypto";
import { files, fromNode, nodeCodings, serve } from "@waymark/node";
import {
  type App,
  accept,
  answers,
  basicCredentials,
  cookieSession,
  DELETE,
  deprecated,
  empty,
  fallback,
  file,
  GET,
  group,
  href,
  html,
  json,
  mount,
  noContent,
  open,
  POST,
  provide,
  router,
  takes,
} from "waymark";
import { access, compress, nameRequests, requestLog, requestMetrics, securityHeaders } from "waymark/filters";
import { z } from "zod";

const Book = z.object({ id: z.int(), title: z.string() });
// What a book cost is in the same row, and no answer declares it.
const books = [
  { id: 1, title: "Dune <1965>", cost: 3 },
  { id: 2, title: "Emma", cost: 2 },
];

const feed = GET("/books", accept("application/json"), answers({ 200: z.array(Book) }), () => json(books));

const pages = group(
  GET(
    "/books",
    accept("text/html"),
    () =>
      html`<ul>${books.map(({ id, title }) => html`<li><a href="${href("/books/{id}", { id })}">${title}</a></li>`)}</ul>`,
  ),
  GET("/books/{id:[0-9]+}", ({ variables }) => {
    const book = books.find(({ id }) => String(id) === variables.id);
    return book === undefined ? html`<p>No such book.</p>`.withStatus(404) : html`<h1>${book.title}</h1>`;
  }),
  group("/static", files(new URL("public", import.meta.url), { maxAge: 3600 })),
  POST("/theme/dark", () => noContent().withCookie("theme", "dark", { maxAge: 86_400 })),
);

/** What the old application answers, one of Express for instance, which knows nothing of waymark. */
const old = fromNode((request, response) => {
  response.writeHead(200, { "Content-Type": "text/plain" }).end(`old: ${request.url}`);
});

const picture = { caption: z.string().max(80), image: file({ most: "2MB", types: ["image/png", "image/jpeg"] }) };

/** The shop, with the key of its sessions and the password of its office. */
export function shop(key: string, password: string, log: (line: string) => void = () => {}): App {
  const session = cookieSession<{ readonly user: string }>({ key, name: "sid", maxAge: 8 * 3600 });
  const signedIn = provide("user", takes(session), (_, { session }) => session.value?.user ?? empty(401), {
    describes: { responses: { 401: { description: "Nobody has signed in." } } },
  });
  const metrics = requestMetrics();
  const office = access((request) => {
    const credentials = basicCredentials(request);
    return credentials !== undefined && isSame(`${credentials.name}:${credentials.password}`, `office:${password}`)
      ? { kind: "allowed" }
      : { kind: "unauthenticated", challenges: ['Basic realm="office"'] };
  });
  return router(
    {
      strict: true,
      filters: [
        requestLog(({ method, path, status, id }) => log(`${id} ${method} ${path} ${status}`)),
        metrics,
        nameRequests(),
        securityHeaders(),
        compress({ codings: nodeCodings }),
      ],
    },
    group(open("the window of the shop"), feed, pages),
    group(
      session,
      group(
        "/session",
        open("one signs in by it"),
        POST(takes(session), (_, { session }) => session.start(noContent(), { user: "ada" })),
        DELETE(takes(session), (_, { session }) => session.end(noContent())),
      ),
      group(
        "/account",
        signedIn,
        GET(takes(signedIn), (_, { user }) => html`<p>Hello ${user}</p>`),
        POST("/picture", takes({ form: picture }), async (_, { form }) => {
          const { caption, image } = await form();
          return html`<p>${caption}: ${image.name}, ${image.size} bytes</p>`;
        }),
      ),
    ),
    group("/office", office, GET("/metrics", metrics.handler)),
    group(
      open("what it has is also at /books"),
      deprecated({ since: "2026-01-01", see: "/books" }),
      GET("/v1/books", () => json(books.map(({ title }) => title))),
    ),
    group(open("the old application has its own guards"), mount("/forum", old), fallback(old)),
  );
}

/** Takes as long for each text of this length. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

if (import.meta.main) {
  const { SESSION_KEY = "", OFFICE_PASSWORD = "" } = process.env;
  if (OFFICE_PASSWORD === "") throw new Error("Set OFFICE_PASSWORD, and SESSION_KEY to 32 characters or more");
  const print = (line: string): boolean => process.stdout.write(`${line}\n`);
  const { port } = await serve(shop(SESSION_KEY, OFFICE_PASSWORD, print), { port: 8080 });
  print(`http://localhost:${port}/books`);
}
