import type { Description, HeaderDescription, JsonSchema, ParameterDescription } from "waymark/openapi";
import { operatorsOf } from "../lists/filter.ts";
import { formatParameter } from "../lists/parameters.ts";
import { greatestLimit } from "../lists/query.ts";
import { sortNames } from "../lists/sort.ts";
import { absentChoices, onMatchChoices } from "../match-rules.ts";
import type { Representation } from "../representation.ts";
import type { MemberType } from "../stores/contract/selection.ts";
import type { DescribedCollection } from "./described-collection.ts";

export type Parameters = Readonly<Record<string, ParameterDescription>>;

/** The parameters of a list. */
export function listParameters({ store: listed, members, nouns }: DescribedCollection): Parameters {
  const numbers = listed.fullText.filter(({ by }) => by === "digits").map(({ name }) => `\`${name}\``);
  const ofNumbers =
    numbers.length === 0
      ? ""
      : ` Four or more digits in a row, with any signs between them, find ${numbers.join(", ")}.`;
  const byOperators = Map.groupBy(listed.members, (member) => operatorsOf(member).join("|"));
  return {
    limit: {
      description: "How many to send: a page, with `Link` to the others. Without it all are sent.",
      schema: { type: "integer", minimum: 1, maximum: greatestLimit },
    },
    after: { description: "From `Link`: the page behind this place." },
    before: { description: "From `Link`: the page in front of this place; with `limit`." },
    sort: {
      description: `The members to sort by, with \`-\` for descending, separated by commas: ${sortNames(listed.members).join(", ")}. Default: \`id\`.`,
      schema: { type: "string", pattern: "^-?[^,]+(?:,-?[^,]+)*$" },
    },
    ...(listed.fullText.length > 0 && {
      q: {
        description: `Words that ${nouns.many} must have; the last may be the beginning of one.${ofNumbers}`,
        schema: { type: "string" },
      },
    }),
    ...fieldsParameter(members),
    ...Object.fromEntries(
      listed.members.map(({ name, type, isList }) => [
        name,
        {
          description: isList === true ? `Those with this among \`${name}\`.` : `Those whose \`${name}\` is this.`,
          schema: schemaOf[type],
        },
      ]),
    ),
    comparisons: {
      description:
        "Other filters, each a parameter `member[operator]`: `birthDate[ge]=1950-01-01`, `id[in]=1,2,3`, `name[prefix]=A`, `email[exists]=false`. All of them must hold.",
      style: "form",
      explode: true,
      schema: {
        type: "object",
        patternProperties: Object.fromEntries(
          Array.from(byOperators, ([operators, of]) => [
            `^(?:${of.map(({ name }) => escapeDots(name)).join("|")})\\[(?:${operators})\\]$`,
            { type: "string" },
          ]),
        ),
        additionalProperties: false,
      },
    },
  };
}

/** The parameters of a change of many records: the filters of a list, and what bounds the change. */
export function choiceParameters(settings: DescribedCollection): Parameters {
  const { limit, after, before, sort, fields, ...filters } = listParameters(settings);
  return {
    ...filters,
    most: {
      description:
        "The most records that may match, or `all`; where there are more, nothing is changed. Default: 1,000.",
      schema: mostSchema,
    },
    all: { description: "Says that every record is meant, where there is no filter.", schema: { enum: ["true"] } },
    "dry-run": { description: "Judges the change, and makes none.", schema: { enum: ["true"] } },
  };
}

const mostSchema: JsonSchema = { type: "string", pattern: "^(?:all|\\d{1,15})$" };

/** What is said of the choice among representations: how it is made where Accept cannot be set, and which fields their text depends on. */
export const chosenFrom = (representations: readonly Representation[]): Description => ({
  query: {
    [formatParameter]: {
      description: "The form of the answer, in place of `Accept`; one for files comes as a file to save.",
      schema: { enum: representations.map(({ name }) => name) },
    },
  },
  headers: Object.fromEntries(
    representations.flatMap(({ reads = {} }) =>
      Object.entries(reads).map(([name, description]) => [name, { description }]),
    ),
  ),
});

/** The choice of members. */
export const fieldsParameter = (members: readonly string[] | undefined): Parameters =>
  members === undefined
    ? {}
    : {
        fields: {
          description: `The members to send, separated by commas; no others are sent then, also where the schema says that they are required: ${members.join(", ")}.`,
          schema: { type: "string", pattern: "^[^,]+(?:,[^,]+)*$" },
        },
      };

/** The parameters of a POST of many records. */
export function bulkParameters({ matching, matchMembers }: DescribedCollection): Parameters {
  const dryRun: Parameters = {
    "dry-run": { description: "Validates the records, and stores none.", schema: { enum: ["true"] } },
  };
  if (matchMembers === undefined) return dryRun;
  return {
    ...dryRun,
    upsert: {
      description:
        "The member by whose value a line changes the record that has it; without such a record it is a new one.",
      schema: { enum: matchMembers },
    },
    absent: {
      description:
        "Whether a changed record keeps what its line lacks. Of a table a line lacks only what has a column. Default: `keep`.",
      schema: { enum: absentChoices },
    },
    ...((matching?.alike.length ?? 0) > 0 && {
      "on-match": {
        description: `What becomes of a new record that is likely stored, by the same ${matching?.alike.map((members) => members.join(" and ")).join(", or the same ")}, and differs. Default: \`add\`, which does not look.`,
        schema: { enum: onMatchChoices },
      },
    }),
    "remove-missing": {
      description:
        "The most records to remove because no line has them, or `all`; where there are more, nothing is changed. With `upsert`.",
      schema: mostSchema,
    },
  };
}

const escapeDots = (name: string): string => name.replaceAll(".", "\\.");

const schemaOf: Readonly<Record<MemberType, JsonSchema>> = {
  text: { type: "string" },
  "caseless-text": { type: "string", description: "Compared without regard to case." },
  date: { type: "string", format: "date" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  time: { type: "string", format: "date-time" },
};

/** Of an answer in a form for files that the query names. */
export const fileField: Readonly<Record<string, HeaderDescription>> = {
  "Content-Disposition": { description: "The name of the file; with `format`." },
};
