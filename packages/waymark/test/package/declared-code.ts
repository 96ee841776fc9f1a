import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/**
 * The rest of the line that a `file:line:column` leads to, which must be in the file of this name.
 *
 * ```ts
 * codeAt(String(finding.site), "routing-error.test.ts");   // 'path("person"),'
 * ```
 */
export function codeAt(site: string, file: string): string {
  const [, name = "", line, column] = /^(.*):(\d+):(\d+)$/.exec(site) ?? assert.fail(`${site} is no place in a file`);
  assert.ok(name.endsWith(`/${file}`), `${site} is in ${file}`);
  return (readFileSync(name, "utf8").split("\n")[Number(line) - 1] ?? "").slice(Number(column) - 1);
}
