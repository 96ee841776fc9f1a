import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { flagOf, type Setting } from "../src/cli/settings/setting.ts";
import { settings } from "../src/cli/settings/settings.ts";

const page = new URL("../../../docs/configuration.md", import.meta.url);

/** The rows of the table of settings, as the declarations of the settings say them. */
const rows = Object.entries<Setting<unknown>>(settings).map(([name, { value, about, default: byDefault, page }]) => {
  const flag = `\`--${flagOf(name)}${value === undefined ? "" : ` ${value}`}\``;
  const option = page === undefined ? flag : `[${flag}](${page})`;
  return `| ${option} | ${about.replaceAll("|", "\\|")} | ${byDefault ?? ""} |`.replace(/ {2}\|$/, " |");
});

it("docs/configuration.md has each setting with its sentence and its default, as it is declared", () => {
  const shown = readFileSync(page, "utf8").match(/^\| \[?`--.*$/gm) ?? [];
  assert.deepEqual(shown, rows);
});
