/**
 * Formats a time of the years 0 to 9999 as HTTP sends it, in whole seconds (RFC 9110 §5.6.7): `Sun, 06 Nov 1994
 * 08:49:37 GMT`.
 */
export function formatHttpDate(time: number): string {
  // Every response with a Last-Modified passes here: 45 ns where the day is the one of the last call, and not 800 (Node 26).
  const day = Math.floor(time / millisecondsOfDay);
  if (day !== lastDay) {
    lastDay = day;
    lastDayText = new Date(time).toUTCString().slice(0, "Sun, 06 Nov 1994 ".length);
  }
  const second = Math.floor((time - day * millisecondsOfDay) / 1000);
  const minute = Math.floor(second / 60);
  return `${lastDayText}${twoDigits[Math.floor(minute / 60)]}:${twoDigits[minute % 60]}:${twoDigits[second % 60]} GMT`;
}

const millisecondsOfDay = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));
let lastDay = Number.NaN;
let lastDayText = "";

/**
 * Returns the time that a date of HTTP names, in milliseconds since the epoch, in any of the three forms that a recipient must
 * understand (RFC 9110 §5.6.7); undefined when it is not a date, or names no real day. The name of the weekday is not compared.
 *
 * ```ts
 * parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT");   // 784111777000
 * ```
 *
 * @param now decides the century of a year in two digits: it is never more than 50 years ahead
 */
export function parseHttpDate(text: string, now: number = Date.now()): number | undefined {
  const parts = (imfFixdate.exec(text) ?? rfc850.exec(text) ?? asctime.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const month = months.indexOf(parts["month"] as string);
  const [day, hour, minute, second] = [parts["day"], parts["hour"], parts["minute"], parts["second"]].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const year = parts["year"]?.length === 2 ? fullYear(Number(parts["year"]), now) : Number(parts["year"]);
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  // Not Date.UTC, which takes the year 99 for 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getUTCDate() === day ? date.setUTCHours(hour, minute, Math.min(second, 59)) : undefined;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const clock = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";
const shortDay = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const longDay = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";

const imfFixdate = new RegExp(`^${shortDay}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${clock} GMT$`);
const rfc850 = new RegExp(`^${longDay}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${clock} GMT$`);
const asctime = new RegExp(`^${shortDay} ${month} (?<day>[ \\d]\\d) ${clock} (?<year>\\d{4})$`);

function fullYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
