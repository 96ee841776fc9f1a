import { absentChoices, onMatchChoices } from "@waymark/collection/internal";
import type * as z from "zod";
import { type MemberList, ourMembers } from "../../../person/members/member-list.ts";
import { alikeBy } from "../../../person/members/members.ts";
import { parseMap } from "../../../transfer/columns.ts";
import { dateReader } from "../../../transfer/dates.ts";
import { givenCharsets } from "../../../transfer/source-file.ts";
import { faultInKept, isSameDatabase } from "../../settings/schemas.ts";
import { anyText, converted, matching, oneOf, type SettingsOf, setting, toggle } from "../../settings/setting.ts";
import { databaseSettings, membersIn } from "../../settings/settings.ts";
import { type Command, command, formatOption } from "../command.ts";
import type { ImportValues } from "./import-target.ts";

/** A member that a person is known by. */
const [key = ""] = ourMembers.unique;

/** The members that people can be found by. */
const findable = ({ entries }: MemberList): readonly string[] =>
  entries.filter(([name, { filter, list }]) => name === "id" || (filter !== undefined && !list)).map(([name]) => name);

const options: SettingsOf<ImportValues> = {
  format: formatOption,
  charset: setting(oneOf(...givenCharsets), {
    value: "CHARSET",
    about: "the charset; by default UTF-16 by its mark, UTF-8, or Windows-1252 where it is not valid UTF-8",
  }),
  map: setting(anyText, {
    value: "NAME=MEMBER",
    about: "which member a column is, such as 'Full Name=name'; 'Name=' leaves it out; may be given several times",
    multiple: true,
  }),
  date: setting(converted(dateReader, RangeError), {
    value: "FORM",
    about:
      "the form of dates, such as DD.MM.YYYY, M/D/YY or D-MMM-YYYY; by default the only one that fits all of a CSV file",
  }),
  upsert: setting(anyText, {
    value: "MEMBER",
    about: "change the person who has the value of this member, such as id; store those whose value nobody has",
  }),
  absent: setting(oneOf(...absentChoices), {
    value: "WHAT",
    default: "keep",
    about:
      "whether a changed person keeps what is empty in the file; clear removes it, but for members without a column",
  }),
  onMatch: setting(oneOf(...onMatchChoices), {
    value: "WHAT",
    default: "refuse",
    about: `what becomes of new people who are likely stored (the same ${alikeBy.map((members) => members.join(" and ")).join(", or ")}) and differ`,
  }),
  removeMissing: setting(
    matching("a number of people, or all", (text) => /^(?:all|\d{1,15})$/.test(text)),
    {
      value: "MOST",
      about: "with --upsert: remove people whom the file does not have; where they are more than this, change nobody",
    },
  ),
  dryRun: toggle({
    about: "check every person, also against the others of the file and those who are stored, and store nobody",
  }),
  rejects: setting(anyText, {
    value: "FILE",
    about: "write refused people to this file, each with its reason, to be corrected",
  }),
  server: setting(
    matching("a URL such as https://people.example.org", (text) => /^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/.test(text)),
    { value: "URL", about: "send the file to the service at this URL, rather than to --database" },
  ),
  keyFile: setting(anyText, { value: "FILE", about: "with --server: a file with the API key" }),
  ...databaseSettings,
};

/** Imports people from a file. */
export const importCommand: Command = command({
  about: "Imports people from a file of CSV, NDJSON, JSON, XML or vCards, or from standard input (-).",
  notes: [
    "The file is sent to POST /person of the database, or of --server, as any client can send it. Columns of CSV may have the names that Google, Outlook, Thunderbird, Apple and Excel give them, or labels of members; others are left out, and named. Countries may have names, and the charset and the delimiter are found out.",
    "People who cannot be stored are listed with the reason; all others are stored. Whoever runs the same command again within 24 hours, with the same file, has the same report, and an import that broke off goes on.",
  ],
  examples: [
    ["person-service import people.csv --dry-run", "check a file, and store nothing"],
    [`person-service import list.csv --map "Cust No=${key}" --date DD.MM.YYYY`, "other names, other dates"],
    ["person-service import people.csv --rejects rejected.csv", "keep what is refused, to correct and import it"],
    [`person-service import people.csv --upsert ${key}`, `change people whose ${key} is stored, and store the others`],
    [
      "person-service import all.csv --upsert id --absent clear --remove-missing 20",
      "have no others than the file has",
    ],
  ],
  operands: ["FILE"],
  options,
  faultIn({ values, sourceOf }) {
    const { database, rejects, map, upsert } = values;
    const members = membersIn(values);
    const keptFault = values.dryRun || values.server !== undefined ? undefined : faultInKept("import", database);
    if (keptFault !== undefined) return keptFault;
    if (rejects !== undefined && isSameDatabase(rejects, database))
      return "--rejects and --database are the same file.";
    const mapFault = faultIn(
      converted(() => parseMap(map, members), RangeError),
      "",
    );
    if (mapFault !== undefined) return `--map ${mapFault}${mapFault.endsWith("?") ? "" : "."}`;
    const upsertFault = upsert === undefined ? undefined : faultIn(oneOf(...findable(members)), upsert);
    if (upsertFault !== undefined) return `--upsert ${upsertFault}.`;
    if (values.removeMissing !== undefined && upsert === undefined) return "--remove-missing needs --upsert.";
    const changes = upsert !== undefined || values.onMatch === "update";
    return sourceOf("absent") !== undefined && !changes ? "--absent needs --upsert, or --on-match update." : undefined;
  },
  run: async (given, io) => (await import("./import-file.ts")).runImport(given, io),
});

const faultIn = (schema: z.ZodType<unknown, string>, text: string): string | undefined =>
  schema.safeParse(text).error?.issues[0]?.message;
