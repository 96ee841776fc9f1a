import { type MemberList, onceFor, ourMembers } from "./member-list.ts";
import type { Fault, Rule } from "./value-schemas.ts";
import { parseVcardLine, splitValue, vcardLineText } from "./vcard-lines.ts";
import { isRestOf, propertiesOfCards, valuesIn, vcardProperties } from "./vcard-properties.ts";

/**
 * Makes the rule of a property of a vCard that a person keeps, as `vcardLineText` writes it: one that can stand in a card of the service
 * beside those of the members; or, for a further value of a member such as `email`, its own property without what the value says.
 */
export function propertyRuleFor(single: string | undefined): Rule {
  return (text) => {
    const line = parseVcardLine(text);
    if (line === undefined || vcardLineText(line) !== text || line.parameters.has("GROUP")) {
      return fault("must be a property of a vCard on one line, with names in capitals, such as X-SKYPE;TYPE=home:ada");
    }
    if (propertiesOfCards.has(line.name)) return fault(`must not be ${line.name}, which each card has of its own`);
    const property = propertyNamed(ourMembers).get(line.name);
    if (single !== undefined) {
      const own = vcardProperties(ourMembers).find(({ further }) => further?.single === single);
      if (own !== undefined && isRestOf(line, own)) return undefined;
      return fault(`must be ${own?.property} without what the entry says, such as ${own?.property};X-LOGIN=ada:`);
    }
    if (property === undefined || isRestOf(line, property)) return undefined;
    const { further, members } = property;
    const isList = members[0]?.list === true;
    const says = isList
      ? splitValue(line.value, ",").some((value) => members[0]?.read(value) !== undefined)
      : further !== undefined && valuesIn(line, members).some((value) => value !== undefined);
    if (!says) return undefined;
    const whose = further === undefined ? members[0]?.name : `${further.single} and ${further.name}`;
    return fault(`must not be ${line.name}: its values are those of ${whose}`);
  };
}

const propertyNamed: (members: MemberList) => ReadonlyMap<string, ReturnType<typeof vcardProperties>[number]> = onceFor(
  (members) => new Map(vcardProperties(members).map((each) => [each.property, each])),
);

const fault = (message: string): Fault => ({ code: "property", message });
