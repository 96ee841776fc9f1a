import { before, type Filter, type HttpRequest } from "waymark";
import { MediaType, negotiate } from "waymark/fields";

/** Returns whether a client names HTML, and prefers it to what problems are sent as to programs. */
export function prefersHtml({ headers }: HttpRequest<unknown>): boolean {
  const accept = headers.get("Accept");
  // A wildcard is not enough: programs send those.
  return accept !== undefined && /text\/html/i.test(accept) && negotiate(accept, offered) === json.length;
}

const json = ["application/problem+json", "application/json"];
const xml = ["application/problem+xml", "application/xml", "text/xml"];
const offered = [...json, "text/html", ...xml].flatMap((type) => MediaType.parse(type) ?? []);

/**
 * Treats the default Accept of Java's HttpURLConnection as that of a program: it puts HTML and two kinds of pictures
 * first, but programs send it, and expect JSON. For `router({ filters })`, outside of all that looks at Accept.
 */
export function javaWithoutAccept(): Filter {
  return before(
    (request) =>
      request.headers.get("Accept")?.startsWith("text/html, image/gif, image/jpeg,")
        ? request.withHeader("Accept", "*/*")
        : request,
    { describes: {}, repeatable: true },
  );
}
