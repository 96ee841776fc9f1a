import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { displayAddress, NewFile } from "@waymark/collection/internal";
import { wording } from "waymark/internal";
import { fileType } from "../../../transfer/file-decoder.ts";
import type { TransferFormat } from "../../../transfer/formats.ts";
import { writeRejects } from "../../../transfer/rejects.ts";
import { copyOfStream, openSourceFile, type SourceFile } from "../../../transfer/source-file.ts";
import { membersIn } from "../../settings/settings.ts";
import { CommandError, withFile } from "../../terminal/command-error.ts";
import type { CommandStreams } from "../../terminal/streams.ts";
import { formatFor } from "../command.ts";
import { report } from "./import-report.ts";
import type { ImportInvocation } from "./import-target.ts";
import { type ImportTarget, targetHere, targetOnServer } from "./import-target.ts";

/** Sends the file that is given, or standard input, to `POST /person`: of the database, or of a server. */
export async function runImport(given: ImportInvocation, io: CommandStreams): Promise<void> {
  const { values } = given;
  const [operand = ""] = given.operands;
  const name = operand === "-" ? "standard input" : operand;
  const format = formatOf(name, given);
  await using copy = operand === "-" ? await copyOfStream(process.stdin) : undefined;
  const source = await withFile(name, "read", () => openSourceFile(copy ?? operand, values.charset));
  if (!source.isText)
    throw new CommandError(`${wording.quote(name)} is not a text in UTF-8, UTF-16 or Windows-1252. ${saveAsCsv}`);
  const { rejects } = values;
  if (rejects !== undefined) await requireOtherFile(rejects, copy ?? operand);
  // Before anybody is stored.
  await using output =
    rejects === undefined ? undefined : await ofRejects(rejects, () => NewFile.open(rejects, { replace: true }));
  const type = fileType({
    name: `file${extensionOf(format)}`,
    map: values.map,
    date: values.date?.form,
    charset: values.charset,
  });
  const query = queryOf(given);
  // Sent again, also after it broke off, a file goes on where it was.
  const key = hash("sha256", `${source.digest} ${type} ${query}`, "base64url");
  const preference = values.removeMissing === undefined ? { Prefer: "handling=lenient" } : {};
  await using target: ImportTarget = values.server === undefined ? await targetHere(values) : targetOnServer(values);
  const answer = await target.send(`/person?${query}`, readingOf(copy ?? operand, source, io), {
    "Content-Type": type,
    ...(!values.dryRun && { "Idempotency-Key": `"${key}"` }),
    ...preference,
  });
  const where = values.server ?? displayAddress(values.database);
  const refused = report({ answer, name, where, format, given }, io);
  if (rejects === undefined || output === undefined || refused.length === 0) return;
  await ofRejects(rejects, () => writeRejects(output, { source, format, members: membersIn(values), refused }));
}

const ofRejects = <T>(file: string, work: () => Promise<T>): Promise<T> => withFile(file, "written", work, "--rejects");

function queryOf({ values }: ImportInvocation): string {
  const { dryRun, upsert, absent, onMatch, removeMissing } = values;
  const isChanged = upsert !== undefined || onMatch === "update";
  const asked = {
    "dry-run": dryRun ? "true" : undefined,
    upsert,
    absent: isChanged ? absent : undefined,
    "on-match": onMatch,
    "remove-missing": removeMissing,
  };
  return Object.entries(asked)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join("&");
}

/** Reads the file as it stands, and draws how far it is. */
async function* readingOf(
  file: string | FileHandle,
  { size }: SourceFile,
  { draw }: CommandStreams,
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0;
  const stream: Readable =
    typeof file === "string" ? createReadStream(file) : file.createReadStream({ start: 0, autoClose: false });
  for await (const piece of stream) {
    read += piece.length;
    draw?.(`sent ${Math.floor((100 * read) / Math.max(1, size))} %`);
    yield piece;
  }
}

function formatOf(name: string, given: ImportInvocation): TransferFormat {
  if (given.values.format === undefined && spreadsheets.test(name)) {
    throw new CommandError(`${wording.quote(name)} is the file of a spreadsheet. ${saveAsCsv}`);
  }
  return formatFor(name, given.values.format);
}

const spreadsheets = /\.(?:xls[xmb]?|ods|numbers)$/i;
const saveAsCsv = "To import a spreadsheet, save it as CSV.";

const extensionOf = ({ name }: TransferFormat): string => (name.startsWith("vcard") ? ".vcf" : `.${name}`);

/** The same by whatever name, such as that of a link. */
async function requireOtherFile(rejects: string, origin: string | FileHandle): Promise<void> {
  const found = await stat(rejects).catch(() => undefined);
  const { dev, ino } = typeof origin === "string" ? await stat(origin) : await origin.stat();
  if (found?.ino !== ino || found.dev !== dev) return;
  throw new CommandError("--rejects must be another file than the one that is imported.");
}
