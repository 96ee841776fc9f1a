import {
  accept,
  after,
  contentType,
  type Filter,
  GET,
  group,
  type HttpRequest,
  type HttpResponse,
  POST,
  type Route,
  redirect,
  type Session,
  takes,
} from "waymark";
import { refuseCrossSite, toPublicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import type { SignIn } from "../access/access.ts";
import { isLoopback, nameIn } from "../access/host-names.ts";
import { hasSession, type SignedIn } from "../access/session.ts";
import { ofSignIn, ofSignInPage, ofSignOut } from "../api/descriptions.ts";
import { localTarget } from "./frame/browser.ts";
import { pageResponse } from "./frame/document.ts";
import { html, type SafeHtml } from "./frame/html.ts";
import { readerOf } from "./frame/reader.ts";
import type { Site } from "./frame/site.ts";

/** The page to sign in on, and what its forms are sent to: from no page of another origin, also where CORS lets it read. */
export const signInRoutes = (site: Site, signIn: SignIn): Route =>
  group(
    refuseCrossSite(),
    signIn.sessions,
    GET("/sign-in", accept("text/html"), docs(ofSignInPage), (request) =>
      signInPage(site, request, localTarget(request.query.get("to"))),
    ),
    POST(
      "/sign-in",
      contentType("application/x-www-form-urlencoded"),
      docs(ofSignIn),
      takes(signIn.sessions),
      (request, { session }) => enter(site, signIn, session, request),
    ),
    POST("/sign-out", docs(ofSignOut), takes(signIn.sessions), (request, { session }) =>
      session.end(redirect(toPublicUrl(request, "/")).withHeader("Clear-Site-Data", '"cache", "storage"')),
    ),
  );

/**
 * Keeps the pages of callers who have signed in out of caches, since a browser that goes back shows a copy without asking, also after
 * signing out. What browsers are to show, and the 304 in its place, is what has a policy of its own. For `router({ filters })`,
 * inside of `securityHeaders` and outside of everything that makes pages.
 */
export const storeNoSessionPages: Filter = after(
  (request, response) =>
    hasSession(request) && response.headers.has("Content-Security-Policy")
      ? response.withHeader("Cache-Control", "no-store")
      : response,
  { describes: {}, repeatable: true },
);

async function enter(
  site: Site,
  signIn: SignIn,
  session: Session<SignedIn>,
  request: HttpRequest,
): Promise<HttpResponse> {
  const form = new URLSearchParams(await request.text({ limit: 16_384 }));
  const to = localTarget(form.get("to"));
  const key = form.get("key") ?? "";
  const outcome = await signIn.judge(request, key === "" ? basic(form) : `Bearer ${key.trim()}`);
  if (outcome.kind === "good") {
    return session.start(redirect(toPublicUrl(request, to)).withHeader("Cache-Control", "no-store"), outcome.session);
  }
  const reader = readerOf(request);
  const words = reader.words.signIn;
  const message = outcome.kind === "wrong" ? words.wrong : reader.count(words.later, outcome.retryAfter);
  const page = signInPage(site, request, to, { message, name: form.get("name") ?? "" });
  if (outcome.kind === "wrong") return page.withStatus(403);
  return page.withStatus(503).withHeader("Retry-After", String(outcome.retryAfter));
}

/** Without the white space that keyboards of phones add to a name. */
const basic = (form: URLSearchParams): string =>
  `Basic ${Buffer.from(`${form.get("name")?.trim() ?? ""}:${form.get("password") ?? ""}`).toString("base64")}`;

function signInPage(site: Site, request: HttpRequest<unknown>, to: string, attempt?: Attempt): HttpResponse {
  const { signIn } = readerOf(request).words.frame;
  return pageResponse(
    site,
    request,
    { title: signIn, kind: "note" },
    html`<div class="note-body"><h1>${signIn}</h1>
${signInForm(request, to, attempt)}</div>`,
    "no-store",
  );
}

/** An attempt to sign in that did not work: why not, and the name that it had. */
interface Attempt {
  readonly message: string | SafeHtml;
  readonly name: string;
}

/** Makes the form to sign in with, which leads back to a target of the service. */
export function signInForm(request: HttpRequest<unknown>, to: string, attempt?: Attempt): SafeHtml {
  const { signIn: words, frame } = readerOf(request).words;
  if (!keepsCookies(request)) {
    return html`<p class="banner">${words.needsHttps}</p>`;
  }
  return html`${attempt === undefined ? "" : html`<p class="banner" role="alert">${attempt.message}</p>`}
<form class="sign-in" method="post" action="${toPublicUrl(request, "/sign-in")}">
<input type="hidden" name="to" value="${to}">
<label>${words.name}<input name="name" value="${attempt?.name ?? ""}" autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto"></label>
<label>${words.password}<input type="password" name="password" autocomplete="current-password"${attempt === undefined ? "" : html` autofocus`}></label>
<details><summary>${words.useKey}</summary><label>${words.key}<input type="password" name="key" autocomplete="off" spellcheck="false"></label></details>
<div class="actions"><button class="primary">${frame.signIn}</button></div>
</form>`;
}

/** Returns whether browsers keep a cookie that is for secure origins only. */
function keepsCookies({ client }: HttpRequest<unknown>): boolean {
  if (client.scheme === "https") return true;
  return isLoopback(nameIn(client.host ?? ""));
}
