import type { Description, JsonSchema } from "waymark/openapi";
import type { MemberType, SelectableMember } from "../stores/contract/selection.ts";
import { operatorsOf } from "./filter.ts";

/** Describes the filters on these members. */
export function describeFilters(members: readonly SelectableMember[]): Readonly<Record<string, Description.Parameter>> {
  const byOperators = Map.groupBy(members, (member) => operatorsOf(member).join("|"));
  const equalities = members.map(({ name, type, isList }) => {
    const description = isList === true ? `Those with this among \`${name}\`.` : `Those whose \`${name}\` is this.`;
    return [name, { description, schema: schemaOf[type] }] as const;
  });
  return {
    ...Object.fromEntries(equalities),
    ...Object.fromEntries(members.flatMap(comparisonsOf)),
    comparisons: {
      description: `Other filters, each a parameter \`member[operator]\`: ${exampleFilters(members)}. All of them must hold.`,
      style: "form",
      explode: true,
      schema: {
        type: "object",
        patternProperties: Object.fromEntries(
          Array.from(byOperators, ([operators, of]) => [
            `^(?:${of.map(({ name }) => name.replaceAll(".", "\\.")).join("|")})\\[(?:${operators})\\]$`,
            { type: "string" },
          ]),
        ),
        additionalProperties: false,
      },
    },
  };
}

/** Describes the filters that generators of clients should know by name: where something begins and ends. */
function comparisonsOf({
  name,
  type,
  isList,
}: SelectableMember): readonly (readonly [string, Description.Parameter])[] {
  if (isList === true) return [];
  const example = leastShown[type];
  const schema = schemaOf[type];
  if (type === "text" || type === "exact")
    return [[`${name}[prefix]`, { description: `Those whose \`${name}\` begins so.`, schema, example: "A" }]];
  if (example === undefined) return [];
  return [
    [`${name}[ge]`, { description: `Those whose \`${name}\` is this or more.`, schema, example }],
    [`${name}[le]`, { description: `Those whose \`${name}\` is this or less.`, schema, example }],
  ];
}

/** Shows filters on these members: on the last ones, because the first are those that every collection has. */
function exampleFilters(members: readonly SelectableMember[]): string {
  const single = members.filter(({ isList }) => isList !== true);
  const compared = single.findLast(({ type }) => Object.hasOwn(leastShown, type));
  const text = members.findLast(({ type }) => type === "text" || type === "exact");
  const filters = [
    compared && `${compared.name}[ge]=${leastShown[compared.type]}`,
    "id[in]=1,2,3",
    text && `${text.name}[prefix]=A`,
    `${single.at(-1)?.name}[exists]=false`,
  ];
  return filters.flatMap((filter) => (filter === undefined ? [] : [`\`${filter}\``])).join(", ");
}

/** A least value of each type whose values have an order that people think of. */
const leastShown: Readonly<Partial<Record<MemberType, string | number>>> = {
  date: "1950-01-01",
  number: 7,
  time: "2026-06-15T12:00:00Z",
};

const schemaOf: Readonly<Record<MemberType, JsonSchema>> = {
  text: { type: "string", description: "Compared without regard to case and accents." },
  exact: { type: "string", description: "Compared as it is, with case and accents." },
  date: { type: "string", format: "date" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  time: { type: "string", format: "date-time" },
};
