/** The number that the last segment of a record's path names; undefined when it is no integer in canonical decimal form, so that each record has one path. */
export function parseRecordId(segment: string): number | undefined {
  return canonicalInteger.test(segment) ? Number(segment) : undefined;
}

const canonicalInteger = /^(?:0|-?[1-9][0-9]*)$/;
