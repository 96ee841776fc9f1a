import type { HttpRequestInit } from "../../../../waymark/src/exchange/exchange.ts";

/** A request of many records to judge, as many as are worst for their bytes: most of them are nothing. */
export interface DryRun {
  readonly what: string;
  readonly init: HttpRequestInit;
  /** Returns content of about so many bytes. */
  readonly text: (bytes: number) => string;
}

/** In bytes. */
export const longestDryRun = 3_000_000;

const dryRun = (what: string, type: string, text: DryRun["text"], query = ""): DryRun => ({
  what,
  // An array of JSON that says that it is long is read as it arrives.
  init: {
    method: "POST",
    target: `/person?dry-run=true${query}`,
    headers: { "Content-Type": type, "Content-Length": `${longestDryRun}` },
  },
  text,
});

const ndjson = "application/x-ndjson";

export const dryRuns: readonly DryRun[] = [
  dryRun("lines of empty objects", ndjson, (bytes) => repeated("{}\n", bytes)),
  dryRun("lines that are no JSON", ndjson, (bytes) => repeated("[\n", bytes)),
  dryRun("blank lines", ndjson, (bytes) => repeated("\n", Math.min(bytes, 1_000_000))),
  dryRun("lines with unknown members", ndjson, (bytes) => repeated('{"a":1}\n', bytes)),
  dryRun("new ids", ndjson, (bytes) => {
    const lines = Array.from({ length: bytes / 45 }, (_, i) => `{"id":${1_000_000 + i},"name":"Ada, Countess"}`);
    return lines.join("\n");
  }),
  dryRun("one id again and again", ndjson, (bytes) => repeated('{"id":1,"name":"Ada Lovelace"}\n', bytes)),
  dryRun("changes of one record", ndjson, (bytes) => repeated('{"id":1,"url":null}\n', bytes), "&upsert=id"),
  dryRun(
    "new records that may be stored",
    ndjson,
    (bytes) => Array.from({ length: bytes / 32 }, (_, i) => `{"name":"A","email":"${i}@a"}`).join("\n"),
    "&on-match=update",
  ),
  dryRun("lines with a hundred unknown members", ndjson, (bytes) =>
    repeated(`{${Array.from({ length: 100 }, (_, i) => `"abcdefghij${i}":1`).join(",")}}\n`, bytes),
  ),
  dryRun("rows with four faults", "text/csv", (bytes) =>
    repeated("@,x,1,a\n", bytes, "email,url,birthDate,telephone\n"),
  ),
  dryRun("rows that lack cells", "text/csv", (bytes) => repeated("a\n", bytes, "name,email\n")),
  dryRun("an array of empty objects", "application/json", (bytes) => `${repeated("{},", bytes, "[")}{}]`),
  dryRun(
    "an array of people",
    "application/json",
    (bytes) => `${repeated('{"name":"Ada Lovelace, Countess"},', bytes, "[")}{"name":"Ada"}]`,
  ),
];

const repeated = (line: string, bytes: number, before = ""): string => before + line.repeat(bytes / line.length);
