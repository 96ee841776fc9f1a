/** The XML form of what a client may send as a person, with the members in the order given. */
export function personXml(person: object): string {
  return `<person>${elements(person)}</person>`;
}

function elements(members: object): string {
  return Object.entries(members)
    .map(([name, value]: [string, unknown]) => {
      const content = typeof value === "object" && value !== null ? elements(value) : escaped(String(value));
      return `<${name}>${content}</${name}>`;
    })
    .join("");
}

/** A CR that stands for itself would be read as LF (XML 1.0 §2.11). */
const escaped = (text: string): string => text.replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
