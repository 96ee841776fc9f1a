import type { Rule } from "./text.ts";
import { quoted } from "./text.ts";

/**
 * A day that exists, `YYYY-MM-DD` from `0001-01-01` (RFC 3339 §5.6, full-date) up to today's date in UTC.
 *
 * @param now the clock, asked at each check
 */
export function birthDate(now: () => Date): Rule {
  return (text) => {
    const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
    if (date === null) return `must be a date as YYYY-MM-DD such as 1815-12-10, and is ${quoted(text)}`;
    const [year, month, day] = [Number(date[1]), Number(date[2]), Number(date[3])];
    // ISO 8601 has a year 0000, but PostgreSQL and XML Schema 1.0 do not.
    if (year === 0) return "must be a real date, and there is no year 0000";
    if (month < 1 || month > 12) return `must be a real date, and there is no month ${date[2]}`;
    if (day < 1 || day > daysIn(year, month)) {
      return `must be a real date, and ${date[1]}-${date[2]} has the days 01 to ${daysIn(year, month)}`;
    }
    const time = now();
    if (Date.parse(text) <= time.getTime()) return undefined;
    return `must not be in the future, and is after today, ${time.toISOString().slice(0, 10)} in UTC`;
  };
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return leap ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
