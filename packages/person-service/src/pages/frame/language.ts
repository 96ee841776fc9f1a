import { after, contentType, type Filter, POST, type Route, redirect } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { ofLanguage } from "../../api/descriptions.ts";
import { languages } from "../../person/languages.ts";
import { localTarget } from "./browser.ts";
import { keptCookie } from "./cookie.ts";
import { pageHeaders } from "./document.ts";
import { languageCookie, readerOf } from "./reader.ts";

/** Where the choice of a language is sent; public, as it says nothing of any person. */
export const languageRoutes: Route = POST(
  "/language",
  contentType("application/x-www-form-urlencoded"),
  docs(ofLanguage),
  async (request) => {
    const form = new URLSearchParams(await request.text({ limit: 16_384 }));
    const chosen = languages.find((language) => language === form.get("language"));
    const there = redirect(toPublicUrl(request, localTarget(form.get("to"))));
    return chosen === undefined ? there : there.withHeader("Set-Cookie", keptCookie(request, languageCookie, chosen));
  },
);

/** Names the language of a page, and what it was chosen by. For `router({ filters })`. */
export const pageLanguages: Filter = after(
  (request, response) => {
    const { status, headers } = response;
    if (headers.get(policy) !== pageHeaders[policy]) return response;
    const named = headers.withMembers("Vary", ["Accept-Language", "Cookie"]);
    // A 304 names what it was chosen by, and has no content that could have a language.
    return response.withHeaders(status === 304 ? named : named.with("Content-Language", readerOf(request).language));
  },
  {
    repeatable: true,
    describes: { responseHeaders: { "Content-Language": { description: "The language of a page for browsers." } } },
  },
);

const policy = "Content-Security-Policy";
