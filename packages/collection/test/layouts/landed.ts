import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lastNumber } from "../../src/stores/layout-numbers.ts";

/** The path of a file of a layout: `sqlite-3.db`. */
export const layoutFile = (name: string): string => join(import.meta.dirname, name);

/**
 * Asserts that the statements of each landed layout are those that it landed with, without their comments and line breaks, and that
 * there is a file of each.
 *
 * @param digests of the layouts, from number 3 on
 */
export function assertLanded(
  layouts: readonly (string | readonly string[])[],
  digests: readonly string[],
  fileOf: (layout: number) => string,
): void {
  const found = layouts.map((statements) => digestOf([statements].flat().join("\n")));
  assert.deepEqual(found, digests, "a landed layout never changes: add another one after it");
  const numbers = digests.map((_, place) => lastNumber(digests) - digests.length + 1 + place);
  for (const number of numbers) assert.ok(existsSync(fileOf(number)), `make ${fileOf(number)} by make-files.ts`);
}

function digestOf(statements: string): string {
  const plain = statements.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ");
  return createHash("sha256").update(plain).digest("hex").slice(0, 16);
}
