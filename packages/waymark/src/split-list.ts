/** The members of a list field (RFC 9110 §5.6.1): commas split it, but not those within a quoted string (§5.6.4). */
export function splitList(field: string): readonly string[] {
  const members: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < field.length; i++) {
    const character = field[i];
    if (character === '"') {
      quoted = !quoted;
    } else if (quoted) {
      if (character === "\\") i++;
    } else if (character === ",") {
      members.push(field.slice(start, i));
      start = i + 1;
    }
  }
  members.push(field.slice(start));
  return members;
}
