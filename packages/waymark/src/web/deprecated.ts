import { DeclarationSite } from "../common/declaration.ts";
import { requireOptions } from "../common/known-options.ts";
import { HeaderList } from "../fields/header-list.ts";
import { formatHttpDate } from "../fields/http-date.ts";
import { after, type Filter } from "../filter.ts";

/** Since when something is deprecated, until when it is there, and where to read on. Dates are `2026-12-31`, or dates. */
export interface DeprecatedOptions {
  readonly since: string | Date;
  readonly sunset?: string | Date;
  /** A URL or a path of a page about it. */
  readonly see?: string;
}

/**
 * Makes a filter that says of a group that it is deprecated: in the answers by `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and
 * `Link`, and in the OpenAPI document.
 *
 * ```ts
 * group("/v1", deprecated({ since: "2026-01-01", sunset: "2027-01-01", see: "/docs/v2" }), ...)
 * ```
 *
 * @throws TypeError when a date is none, or the sunset is before the deprecation
 */
export function deprecated(options: DeprecatedOptions): Filter {
  requireOptions("deprecated({ … })", options, ["since", "sunset", "see"]);
  const since = timeOf("since", options.since);
  const sunset = options.sunset === undefined ? undefined : timeOf("sunset", options.sunset);
  if (sunset !== undefined && sunset < since) throw new TypeError("deprecated({ … }) has its sunset before its since");
  let fields = HeaderList.of({ Deprecation: `@${Math.floor(since / 1000)}` });
  if (sunset !== undefined) fields = fields.with("Sunset", formatHttpDate(sunset));
  if (options.see !== undefined) {
    if (!/^[!#-;=?-~]+$/.test(options.see)) throw new TypeError("deprecated({ see }) is a URL or a path");
    const relations = sunset === undefined ? ["deprecation"] : ["deprecation", "sunset"];
    for (const relation of relations)
      fields = fields.withAdded("Link", `<${options.see}>; rel="${relation}"; type="text/html"`);
  }
  return {
    ...after((_, response) => response.withHeaders(response.headers.concat(fields)), {
      repeatable: true,
      describes: {
        deprecated: true,
        responseHeaders: {
          Deprecation: {
            description: "Since when this is deprecated, in seconds since 1970 (RFC 9745).",
            example: fields.get("Deprecation"),
          },
          ...(sunset !== undefined && {
            Sunset: { description: "From when this may be gone (RFC 8594).", example: fields.get("Sunset") },
          }),
        },
      },
    }),
    site: new DeclarationSite(deprecated),
  };
}

function timeOf(option: string, value: string | Date): number {
  const time = value instanceof Date ? value.getTime() : Date.parse(value);
  if (Number.isNaN(time))
    throw new TypeError(`deprecated({ ${option} }) takes a date, such as "2026-12-31", not ${JSON.stringify(value)}`);
  return time;
}
