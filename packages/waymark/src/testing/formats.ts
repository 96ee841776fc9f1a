import { isDay } from "../schema/scalars.ts";

/** A format of texts: some that have it, and whether a text does. */
export interface Format {
  readonly examples: readonly string[];
  readonly holds: (text: string) => boolean;
}

const matching = (expression: RegExp, ...examples: readonly string[]): Format => ({
  examples,
  holds: (text) => expression.test(text),
});

const clock = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** The formats of JSON Schema that are checked; texts of all others pass. */
export const formats: Readonly<Record<string, Format | undefined>> = {
  date: { examples: ["2024-02-29", "1999-12-31", "2026-06-15"], holds: isDay },
  time: matching(clock, "12:00:00Z", "23:59:59.5+02:00"),
  "date-time": {
    examples: ["2026-06-15T12:00:00Z", "1999-12-31T23:59:59.123Z"],
    holds: (text) => isDay(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && clock.test(text.slice(11)),
  },
  email: matching(/^[^@\s]+@[^@\s]+$/, "ada@example.org", "a.b+c@mail.example.com"),
  hostname: matching(/^(?!-)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*$/, "example.org", "a"),
  ipv4: matching(/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}(?<!\.)$/, "192.0.2.1", "127.0.0.1"),
  ipv6: matching(/^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/, "2001:db8::1", "::1"),
  uri: { examples: ["https://example.org/a?b=c", "urn:isbn:0451450523"], holds: (text) => URL.canParse(text) },
  "uri-reference": { examples: ["/a/b", "https://example.org/"], holds: (text) => URL.canParse(text, "http://a") },
  uuid: matching(
    /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
    "8e03978e-40d5-43dd-bc93-6894a57f9324",
    "00000000-0000-4000-8000-000000000000",
  ),
};
