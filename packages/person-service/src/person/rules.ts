import { excerpt, nearestName, orNearest } from "waymark/internal";
import { patternTest } from "./pattern.ts";
import type { Rule } from "./text.ts";

/** Accepts a real date, `YYYY-MM-DD` from `0001-01-01` (RFC 3339 §5.6, full-date). */
export const date: Rule = (text) => {
  const [, years = "", months = "", days] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (days === undefined) return `must be a date as YYYY-MM-DD such as 1815-12-10, not ${excerpt(text)}`;
  const [year, month, day] = [Number(years), Number(months), Number(days)];
  // ISO 8601 has a year 0000, but PostgreSQL and XML Schema 1.0 do not.
  if (year === 0) return "must be a real date; there is no year 0000";
  if (month < 1 || month > 12) return `must be a real date; there is no month ${months}`;
  if (day >= 1 && day <= daysIn(year, month)) return undefined;
  return `must be a real date, and ${years}-${months} has the days 01 to ${daysIn(year, month)}`;
};

/**
 * Accepts a real date up to today's date in UTC.
 *
 * @param now the clock, read at each check
 */
export function pastDate(now: () => Date): Rule {
  return (text) => {
    const fault = date(text);
    if (fault !== undefined) return fault;
    const time = now();
    if (Date.parse(text) <= time.getTime()) return undefined;
    return `must not be in the future; today is ${time.toISOString().slice(0, 10)} in UTC`;
  };
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return leap ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Accepts a real date from the one to the other; both may be left out. */
export const dateWithin =
  (least = "0001-01-01", greatest = "9999-12-31"): Rule =>
  (text) =>
    date(text) ?? (text >= least && text <= greatest ? undefined : `must be from ${least} to ${greatest}, not ${text}`);

/** Accepts one of some words. */
export const oneOf =
  (words: readonly string[]): Rule =>
  (text) => {
    if (words.includes(text)) return undefined;
    const others = words.length > mostShown ? ` and ${words.length - mostShown} others` : "";
    return `must be one of ${words.slice(0, mostShown).join(", ")}${others}${orNearest(nearestName(text, words))}`;
  };

const mostShown = 20;

/** Accepts a text that matches a pattern as a whole: see `patternTest`. */
export function matching(pattern: string): Rule {
  const test = patternTest(pattern);
  return (text) => (test(text) ? undefined : `must match ${pattern}, and ${excerpt(text)} does not`);
}

/** Accepts an officially assigned code of ISO 3166-1 alpha-2, in capitals. */
export const countryCode: Rule = (text) =>
  countryCodes.has(text)
    ? undefined
    : `must be an ISO 3166-1 alpha-2 country code in capitals such as NO, not ${excerpt(text)}`;

/** The 249 officially assigned codes of ISO 3166-1. Reserved and user-assigned codes (EU, UK, XK, ZZ) are not countries. */
export const countryCodes: ReadonlySet<string> = new Set(
  `
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ
    BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ
    DE DJ DK DM DO DZ
    EC EE EG EH ER ES ET
    FI FJ FK FM FO FR
    GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY
    HK HM HN HR HT HU
    ID IE IL IM IN IO IQ IR IS IT
    JE JM JO JP
    KE KG KH KI KM KN KP KR KW KY KZ
    LA LB LC LI LK LR LS LT LU LV LY
    MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ
    NA NC NE NF NG NI NL NO NP NR NU NZ
    OM
    PA PE PF PG PH PK PL PM PN PR PS PT PW PY
    QA
    RE RO RS RU RW
    SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ
    TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
    UA UG UM US UY UZ
    VA VC VE VG VI VN VU
    WF WS
    YE YT
    ZA ZM ZW
  `
    .trim()
    .split(/\s+/),
);

/** Accepts one `@` with text on both sides and no spaces. Only a mail can show whether the address exists. */
export const email: Rule = (text) => {
  if (/\s/.test(text)) return "must not contain spaces";
  const parts = text.split("@");
  if (parts.length !== 2) return `must have one @ as in ada@example.org, not ${parts.length - 1}`;
  if (parts[0] === "") return "must have something before the @, as in ada@example.org";
  if (parts[1] === "") return "must have something after the @, as in ada@example.org";
  return undefined;
};

/**
 * Accepts one well-formed BCP 47 language tag (RFC 5646 §2.1) of at most 255 characters. `Intl.getCanonicalLocales` would refuse
 * well-formed tags that are not Unicode locales: `zh-yue`, `i-klingon`, `x-elvish`.
 */
export const languageTag: Rule = (text) =>
  text.length <= 255 && (langtag.test(text) || privateUse.test(text) || irregular.has(text.toLowerCase()))
    ? undefined
    : `must be a BCP 47 language tag such as en, pt-BR or zh-Hans, not ${excerpt(text)}`;

const language = "(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})";
const script = "(?:-[a-z]{4})?";
const region = "(?:-(?:[a-z]{2}|[0-9]{3}))?";
const variants = "(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*";
const extensions = "(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*";
const privateSubtags = "x(?:-[a-z0-9]{1,8})+";

const langtag = new RegExp(`^${language}${script}${region}${variants}${extensions}(?:-${privateSubtags})?$`, "i");
const privateUse = new RegExp(`^${privateSubtags}$`, "i");

/** The grandfathered tags that the grammar does not derive. */
const irregular: ReadonlySet<string> = new Set(
  (
    "en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu " +
    "sgn-be-fr sgn-be-nl sgn-ch-de"
  ).split(" "),
);

/** Accepts digits, spaces and `+ - . ( ) /` with at least one digit, and an optional extension: `x12`, `ext. 12`, `;ext=12`, `#12`. */
export const telephone: Rule = (text) =>
  phoneNumber.test(text)
    ? undefined
    : "must be digits with spaces and + - . ( ) / between them, and perhaps an extension at the end such as x123";

const phoneNumber = /^(?=[^\d]*\d)[\d +\-.()/]+(?:(?:x|ext(?:ension)?\.?|;ext=|#) *\d+)?$/i;

/** Accepts an absolute http or https URL with a host, and without user or password (RFC 9110 §4.2.4). Other scripts need no escape. */
export const url: Rule = (text) => {
  if (!httpUrl.test(text) || !URL.canParse(text)) {
    return "must be an absolute http or https URL such as https://example.org/ada";
  }
  return userInformation.test(text) ? "must not contain a user name or password before the host" : undefined;
};

/** Needed in addition to `URL`, which repairs spaces, backslashes, a missing `//` and stray percent signs. */
const httpUrl = /^https?:\/\/[^/?#](?:[^\s<>"\\^`{|}%]|%[0-9a-f]{2})*$/iu;
const userInformation = /^[^/]+\/\/[^/?#]*@/;
