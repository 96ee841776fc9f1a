import { absentChoices, onMatchChoices } from "@waymark/collection";
import { type MemberList, ourMembers } from "../../person/member-list.ts";
import { alikeBy } from "../../person/members.ts";
import { parseMap } from "../../transfer/columns.ts";
import { dateReader } from "../../transfer/dates.ts";
import { databaseOptions, faultInKept, isSameDatabase } from "../settings/database-options.ts";
import { membersIn } from "../settings/members-option.ts";
import { converted, matching, oneOf } from "../settings/option.ts";
import type { Command } from "./command.ts";
import { formatOption } from "./format-option.ts";
import { continuing } from "./import-report.ts";

/** A member that a person is known by. */
const [key = ""] = ourMembers.unique;

/** The members that people can be found by. */
const findable = ({ entries }: MemberList): readonly string[] =>
  entries.filter(([name, { filter, list }]) => name === "id" || (filter !== undefined && !list)).map(([name]) => name);

/** Imports people from a file. */
export const importCommand: Command = {
  about: "Imports people from a file of CSV, NDJSON, JSON, XML or vCards, or from standard input (-).",
  notes: [
    "Columns of CSV may have usual names, such as First Name or E-mail. Countries may have names, and the charset and the delimiter are found out.",
    `People who cannot be stored are listed with the reason; all others are stored. Ctrl-C stops after the people that are being stored. ${continuing}`,
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
  options: {
    format: formatOption,
    map: {
      value: "NAME=MEMBER",
      about: "which member a column is, such as 'Full Name=name'; 'Name=' leaves it out; may be given several times",
      multiple: true,
    },
    date: {
      value: "FORM",
      type: converted(dateReader, RangeError),
      about:
        "the form of dates, such as DD.MM.YYYY, M/D/YY or D-MMM-YYYY; by default the only one that fits all of a CSV file",
    },
    upsert: {
      value: "MEMBER",
      about: "change the person who has the value of this member, such as id; store those whose value nobody has",
    },
    absent: {
      value: "WHAT",
      type: oneOf(...absentChoices),
      default: "keep",
      about:
        "whether a changed person keeps what is empty in the file; clear removes it, but for members without a column",
    },
    "on-match": {
      value: "WHAT",
      type: oneOf(...onMatchChoices),
      default: "refuse",
      about: `what becomes of new people who are likely stored (the same ${alikeBy.map((members) => members.join(" and ")).join(", or ")}) and differ`,
    },
    "remove-missing": {
      value: "MOST",
      type: matching("a number of people, or all", (value) => /^(?:all|\d{1,15})$/.test(value)),
      about: "with --upsert: remove people whom the file does not have; where they are more than this, change nobody",
    },
    "dry-run": {
      about: "check every person, also against the others of the file and those who are stored, and store nobody",
    },
    rejects: { value: "FILE", about: "write refused people to this file, each with its reason, to be corrected" },
    ...databaseOptions,
  },
  usageError: (given) => {
    const members = membersIn(given);
    const keptFault = given.has("dry-run") ? undefined : faultInKept("import", given.value("database"));
    if (keptFault !== undefined) return keptFault;
    if (given.has("rejects") && isSameDatabase(given.value("rejects"), given.value("database")))
      return "--rejects and --database are the same file.";
    const [map, upsert] = [given.values("map"), given.value("upsert")];
    const mapFault = converted(() => parseMap(map, members), RangeError).fault("");
    if (mapFault !== undefined) return `--map ${mapFault}${mapFault.endsWith("?") ? "" : "."}`;
    const upsertFault = upsert === undefined ? undefined : oneOf(...findable(members)).fault(upsert);
    if (upsertFault !== undefined) return `--upsert ${upsertFault}.`;
    if (given.has("remove-missing") && !given.has("upsert")) return "--remove-missing needs --upsert.";
    const changes = given.has("upsert") || given.value("on-match") === "update";
    return given.has("absent") && !changes ? "--absent needs --upsert, or --on-match update." : undefined;
  },
  run: async (given, io) => (await import("./import-file.ts")).runImport(given, io),
};
