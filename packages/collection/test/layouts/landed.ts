import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The path of a file of a layout: `sqlite-1.db`. */
export const layoutFile = (name: string): string => join(import.meta.dirname, name);

/**
 * Asserts that the statements of each landed layout are those that it landed with, without their comments and line breaks, and that
 * there is a file of each.
 *
 * @param digests of the layouts, from number 1 on
 */
export function assertLanded(
  layouts: readonly (string | readonly string[])[],
  digests: readonly string[],
  fileOf: (layout: number) => string,
): void {
  const found = layouts.map((statements) => digestOf([statements].flat().join("\n")));
  assert.deepEqual(found, digests, "a landed layout never changes: add another one after it");
  const files = digests.map((_, before) => fileOf(before + 1));
  for (const file of files) assert.ok(existsSync(file), `make ${file} by make-files.ts`);
}

function digestOf(statements: string): string {
  const plain = statements.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ");
  return createHash("sha256").update(plain).digest("hex").slice(0, 16);
}
