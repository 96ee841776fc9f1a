import type { MemberFault } from "../../person/member-declaration.ts";
import { type MemberList, ourMembers } from "../../person/member-list.ts";
import { membersOf, readOwnMembers } from "../../person/own-members.ts";
import type { Given } from "./configuration.ts";
import type { Option } from "./option.ts";

/** The option of every command for which it matters what members people may have. */
export const membersOption: Option = {
  group: "Database",
  value: "JSON",
  json: true,
  type: { fault: (value) => faultsIn(value)[0]?.message, faultsWithin: faultsIn },
  about:
    'members of your own, such as {"staffNumber": {"type": "string", "unique": true}}; best in the file of --config',
};

function faultsIn(text: string): readonly MemberFault[] {
  try {
    return readOwnMembers(JSON.parse(text)).faults ?? [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [{ path: [], message: 'must be an object, such as {"staffNumber": {"type": "string"}}' }];
  }
}

/** Returns the members that people may have by the settings. */
export function membersIn(given: Given): MemberList {
  const declared = given.value("members");
  return declared === undefined ? ourMembers : membersOf(JSON.parse(declared));
}
