import { existsSync } from "node:fs";
import { kindOf } from "@waymark/collection/internal";
import { readLogo, readSessionKey, readTlsFiles } from "../serving/named-files.ts";
import { serveHere } from "../serving/serve-here.ts";
import { faultInOptions, toOptions } from "../settings/options.ts";
import { flagOf, maskPasswords, type Setting } from "../settings/setting.ts";
import { type ServiceSettings, settings } from "../settings/settings.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, command, type Invocation } from "./command.ts";

/** Runs the service. */
export const serveCommand: Command = command({
  about: "Serves people over HTTP, and keeps them in an SQLite file or in PostgreSQL.",
  examples: [
    ["person-service --demo", "try it: 537 people at http://127.0.0.1:8080/person"],
    ["person-service --database people.db --access access.json --keys data/keys.json", "only with an API key"],
  ],
  options: settings,
  faultIn: ({ values, sourceOf }) => faultInOptions(toOptions(values, sourceOf), sourceOf),
  async run({ values, sourceOf }, io) {
    await serveHere(toOptions(values, sourceOf), io);
  },
});

type Given = Invocation<ServiceSettings>;

/** Prints the settings of the service. */
export const checkConfigCommand: Command = command({
  about: "Checks the settings of the service, and prints each with its source.",
  notes: [
    "It takes the options of serve, starts nothing, and shows no password, and only the host of a webhook. It lists the API keys: name, when each was made, when it ends, scopes. The exit code is 2 if a setting is wrong, and 1 if a file that it names cannot be used.",
    "Where the settings have members, and --database is on the command line, it reads who is stored, too, and says how many people have values that the members refuse. Then the exit code is 1.",
  ],
  options: settings,
  faultIn: ({ values, sourceOf }) => faultInOptions(toOptions(values, sourceOf), sourceOf),
  async run(given, { print }) {
    const rows = Object.entries<Setting<unknown>>(settings).flatMap(([name, setting]) => rowOf(name, setting, given));
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
    const {
      access: file,
      keys,
      sessionKey,
      tls,
      logo,
      webhooks,
      database,
      members,
    } = toOptions(given.values, given.sourceOf);
    const { readWebhookSecret } = await import("../../webhooks/delivery.ts");
    for (const { secretFile } of webhooks) readWebhookSecret(secretFile);
    if (logo !== undefined) await readLogo(logo);
    if (tls !== undefined) await readTlsFiles(tls);
    // A start makes the one that is missing.
    if (sessionKey !== undefined && existsSync(sessionKey)) await readSessionKey(sessionKey);
    if (file !== undefined) {
      const { openAccess } = await import("../../access/access.ts");
      const { content } = await openAccess({ file, keys });
      for (const { name, createdAt, expiresAt, scopes } of content.keys)
        print(
          `key ${name}, made ${createdAt}, ${expiresAt === undefined ? "without end" : `ends ${expiresAt}`}: ${scopes.join(" ")}`,
        );
    }
    const isNamed = given.values.members !== undefined && given.sourceOf("database")?.startsWith("--database") === true;
    if (!isNamed || kindOf(database).isMissing(database)) return;
    const { judgeStored } = await import("./stored-values.ts");
    const { misfits, kept } = await judgeStored(database, members);
    for (const line of kept) print(line);
    if (misfits.length > 0) throw new CommandError(misfits.join("\n"));
  },
});

/** The most characters that a column is as wide as; a longer value stands out of it. */
const widestColumn = 40;

function rowOf(name: string, setting: Setting<unknown>, { textsOf, sourceOf }: Given): readonly (readonly string[])[] {
  // The setting with the content of the file has the file as its source.
  if (setting.fileOf !== undefined) return [];
  const known = name as keyof ServiceSettings; // a name of one of them
  const texts = textsOf(known).map((text) => (name === "webhooks" ? withoutPath(text) : toWord(text)));
  const shown = setting.value === undefined ? (texts[0] ?? "false") : maskPasswords(texts.join(", "));
  return [[flagOf(name), shown === "" ? "-" : shown, sourceOf(known) ?? "default"]];
}

/** Returns the URL of a database without the spaces of its password, at which the URL would end in a line; other values as they are. */
const toWord = (value: string): string =>
  kindOf(value).fileOf(value) === undefined ? value.replaceAll(/\s/g, "%20") : value;

/** Returns a webhook, whose path may be a secret, with no more of its URL than the host. */
function withoutPath(webhook: string): string {
  const said = JSON.parse(webhook) as { readonly url: string }; // its form has been checked
  return JSON.stringify({ ...said, url: `${new URL(said.url).origin}/...` });
}
