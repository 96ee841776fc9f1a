import { wording } from "waymark/internal";
import * as z from "zod";
import type { Language } from "../members/member.ts";
import { patternTest } from "../members/pattern.ts";
import { date, text } from "../members/value-schemas.ts";

/** In characters. */
const longest = 4000;

/** A text in English, and in others where there is one. */
export type TextByLanguage = { readonly en: string } & Readonly<Partial<Record<Language, string | undefined>>>;

/** A text, or one in each language. */
export const byLanguage = (max: number): z.ZodType<TextByLanguage> => {
  const each = text({ min: 1, max }) as z.ZodType<string>; // it is of strings
  const other = each.optional();
  return z.preprocess(
    (value) => (typeof value === "string" ? { en: value } : value),
    z.strictObject({ en: each, de: other, fr: other, es: other }),
  );
};

const line = text({ min: 1, max: 100 }) as z.ZodType<string>;

/** A list of different texts. */
export const texts = (most: number): z.ZodType<string[]> =>
  z.array(line).check(({ value, issues }) => {
    const refuse = (message: string) => void issues.push({ code: "custom", input: value, message });
    if (value.length < 1 || value.length > most) refuse(`must be a list of 1 to ${most} different texts`);
    const twice = value.find((each, i) => value.indexOf(each) < i);
    if (twice !== undefined) refuse(`has ${wording.excerpt(twice)} twice`);
  });

/** That of a text, in characters. */
export const length: z.ZodType<number> = z.number().check(({ value, issues }) => {
  if (Number.isInteger(value) && value >= 1 && value <= longest) return;
  issues.push({ code: "custom", input: value, message: `must be an integer from 1 to ${longest}, not ${value}` });
});

export const whole: z.ZodType<number> = z.number().check(({ value, issues }) => {
  if (!Number.isSafeInteger(value))
    issues.push({ code: "custom", input: value, message: `must be an integer, not ${value}` });
});

export const day: z.ZodType<string> = z.string().check(({ value, issues }) => {
  const message = date(value)?.message;
  if (message !== undefined) issues.push({ code: "custom", input: value, message });
});

/** In JSON Schema a pattern is sought in the text; one without its anchors would be thought to be all of it. */
export const pattern: z.ZodType<string> = z.string().check(({ value, issues }) => {
  const refuse = (message: string) => void issues.push({ code: "custom", input: value, message });
  if (!/^\^.*\$$/s.test(value)) return refuse(`must match the whole text: write ${wording.excerpt(`^${value}$`)}`);
  try {
    patternTest(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    refuse(error.message);
  }
});
