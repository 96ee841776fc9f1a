import { quoted, type Rule } from "./text.ts";

/**
 * One well-formed BCP 47 language tag (RFC 5646 §2.1), of at most 255 characters. `Intl.getCanonicalLocales` would refuse
 * tags that are well-formed there but no Unicode locales: `zh-yue`, `i-klingon`, `x-elvish`.
 */
export const languageTag: Rule = (text) =>
  text.length <= 255 && (langtag.test(text) || privateUse.test(text) || irregular.has(text.toLowerCase()))
    ? undefined
    : `must be a BCP 47 language tag such as en, pt-BR or zh-Hans, and is ${quoted(text)}`;

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
