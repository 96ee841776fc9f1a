import { existsSync } from "node:fs";
import { kindOf } from "@waymark/collection";
import { readLogo } from "../serving/logo.ts";
import { readSessionKey } from "../serving/session-key.ts";
import { readTlsFiles } from "../serving/tls-files.ts";
import type { Given } from "../settings/configuration.ts";
import { maskPasswords } from "../settings/option.ts";
import { settings, toOptions, usageErrorInOptions } from "../settings/options.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command } from "./command.ts";

/** Prints the settings of the service. */
export const checkConfigCommand: Command = {
  about: "Checks the settings of the service, and prints each with its source.",
  notes: [
    "It takes the options of serve, starts nothing, and shows no password, and only the host of a webhook. The exit code is 2 if a setting is wrong, and 1 if a file that it names cannot be used.",
    "Where the settings have members, and --database is on the command line, it reads who is stored, too, and says how many people have values that the members refuse. Then the exit code is 1.",
  ],
  options: settings,
  usageError: usageErrorInOptions,
  async run(given, { print }) {
    const rows = Object.keys(settings).flatMap((name) => rowOf(name, given));
    const widths = [0, 1].map((column) => {
      const lengths = rows.map((row) => (row[column] ?? "").length);
      return Math.max(...lengths.filter((length) => length <= widestColumn)); // there are short ones in each
    });
    for (const row of rows)
      print(
        row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd(),
      );
    const { access: file, keys, sessionKeyFile, tls, logo, webhooks, database, members } = toOptions(given);
    const { readWebhookSecret } = await import("../../webhooks/signing.ts");
    for (const { secretFile } of webhooks) readWebhookSecret(secretFile);
    if (logo !== undefined) await readLogo(logo);
    if (tls !== undefined) await readTlsFiles(tls);
    // A start makes the one that is missing.
    if (sessionKeyFile !== undefined && existsSync(sessionKeyFile)) await readSessionKey(sessionKeyFile);
    if (file !== undefined) {
      const { openAccess } = await import("../../access/access.ts");
      await openAccess({ file, keys });
    }
    const isNamed = given.has("members") && given.source("database")?.startsWith("--database") === true;
    if (!isNamed || kindOf(database).isMissing(database)) return;
    const { judgeStored } = await import("./stored-values.ts");
    const { misfits, kept } = await judgeStored(database, members);
    for (const line of kept) print(line);
    if (misfits.length > 0) throw new CommandError(misfits.join("\n"));
  },
};

/** The most characters that a column is as wide as; a longer value stands out of it. */
const widestColumn = 40;

function rowOf(name: string, given: Given): readonly (readonly string[])[] {
  const option = settings[name];
  // The setting with the content of the file has the file as its source.
  if (option === undefined || option.fileOf !== undefined) return [];
  const values = option.multiple ? given.values(name) : [given.value(name) ?? ""];
  const texts = values.map((value) => (name === "webhooks" ? withoutPath(value) : toWord(value)));
  const shown = option.value === undefined ? String(given.has(name)) : maskPasswords(texts.join(", "));
  return [[name, shown === "" ? "-" : shown, given.source(name) ?? "default"]];
}

/** Returns the URL of a database without the spaces of its password, at which the URL would end in a line; other values as they are. */
const toWord = (value: string): string =>
  kindOf(value).fileOf(value) === undefined ? value.replaceAll(/\s/g, "%20") : value;

/** Returns a webhook, whose path may be a secret, with no more of its URL than the host. */
function withoutPath(webhook: string): string {
  const said = JSON.parse(webhook) as { readonly url: string }; // its form has been checked
  return JSON.stringify({ ...said, url: `${new URL(said.url).origin}/...` });
}
