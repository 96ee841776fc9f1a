import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startService } from "../service.ts";
import type { Outcome, Suite } from "../suite.ts";

interface Case {
  readonly name: string;
  readonly raw: readonly string[];
  readonly header_type: string;
  readonly must_fail?: boolean;
  readonly expected?: readonly [string, unknown];
}

/**
 * The one field of a request that is a structured string is Idempotency-Key. The key of a string must be taken, and again in the
 * form that the suite calls canonical it must be the same; what is not a string must be refused.
 */
export const structuredFields: Suite = {
  name: "structured-field-tests",
  subject: "fields",
  tries: "each string as an Idempotency-Key",
  source: {
    kind: "repository",
    url: "https://github.com/httpwg/structured-field-tests",
    commit: "1e280c3ed9ffe0ca5fdb1d97219dddc389007677",
  },
  decided: {
    "string.json empty string": "a key has at least one character",
    "string.json long string": "a key has at most 255 characters",
    "string.json single quoted string": "a key without double quotes is taken as it is, as many clients send it",
  },
  async run(folder) {
    await using service = await startService();
    const outcomes: Outcome[] = [];
    for (const file of ["string.json", "string-generated.json"]) {
      const cases: readonly Case[] = JSON.parse(await readFile(join(folder, file), "utf8"));
      for (const { name, raw, header_type, must_fail, expected } of cases) {
        const [key, ...more] = raw;
        // A client cannot send the others: they are no values of fields.
        if (header_type !== "item" || key === undefined || more.length > 0 || !/^[\t\x20-\x7e]*$/.test(key)) continue;
        const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
        const { status, code } = await service.send("POST", "/person", headers, '{"name":"Ada"}');
        const isRefused = status === 400 && code === "invalid-idempotency-key";
        const isExpected = must_fail === true ? isRefused : status === 200 && expected !== undefined;
        outcomes.push({ name: `${file} ${name}`, fault: isExpected ? undefined : `${status} ${code ?? ""}` });
      }
    }
    return outcomes;
  },
};
