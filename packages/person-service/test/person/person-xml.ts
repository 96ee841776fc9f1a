/** The XML form of what a client may send as a person, with the members in the order given. */
export function personXml(person: object): string {
  return `<person>${elements(person)}</person>`;
}

/** A list has an element for each value. */
function elements(members: object): string {
  return Object.entries(members)
    .flatMap(([name, value]: [string, unknown]) =>
      [value].flat().map((each) => `<${name}>${contentOf(each)}</${name}>`),
    )
    .join("");
}

const contentOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? elements(value) : escaped(String(value));

/** A CR that stands for itself would be read as LF (XML 1.0 §2.11). */
const escaped = (text: string): string => text.replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
