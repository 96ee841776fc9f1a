import { type ListDecoder, temporaryFileFault } from "@waymark/collection/internal";
import { ContentError } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { wording } from "waymark/internal";
import { named } from "../person/cards/named.ts";
import type { MemberList } from "../person/members/member-list.ts";
import { parseMap } from "./columns.ts";
import { dateReader } from "./dates.ts";
import { formatOfContent, formatOfFile } from "./formats.ts";
import { isBlankRow, openPeopleFile, valuesOf } from "./people-file.ts";
import { copyOfStream, type GivenCharset, givenCharsets, openSourceFile } from "./source-file.ts";

/**
 * Reads a file of people as other programs write it, by the rules of the command `import`. Parameters of the media type say what the
 * command has as options, each encoded as in a URL: `name`, the name of the file; `map`, pairs `Heading=member`, one a line;
 * `date`, the form of dates; and `charset`. Columns that are no member are left out, and named in what was found.
 */
export const peopleFileDecoder = (members: MemberList): ListDecoder => ({
  mediaTypes: ["application/octet-stream"],
  asNew: named,
  example: "Name;E-mail\nAda Lovelace;ada@example.org\n",
  async *decode(pieces, { mediaType, onFound, onColumns, onNote }) {
    const { name = "", map = "", date, charset } = parametersOf(mediaType);
    await using copy = await copyOfStream(pieces).catch((error: unknown) => {
      throw temporaryFileFault(error);
    });
    const source = await openSourceFile(copy, charset === undefined ? undefined : requireCharset(charset));
    if (!source.isText) throw new ContentError("The file is not a text. To import a spreadsheet, save it as CSV");
    const file = await openPeopleFile(source, {
      members,
      format: formatOfFile(name) ?? formatOfContent(source.beginning),
      map: readParameter("map", () =>
        parseMap(
          map.split("\n").filter((pair) => pair !== ""),
          members,
        ),
      ),
      dates: date === undefined ? undefined : readParameter("date", () => dateReader(date)),
    });
    onFound?.(file.found);
    if (file.columns !== undefined) onColumns?.(file.columns.members.filter((member) => member !== undefined));
    for await (const { read: _, ...listed } of valuesOf(file, { onNote })) if (!isBlankRow(file, listed)) yield listed;
  },
});

type ParameterName = "name" | "map" | "date" | "charset";

/** Makes the media type that says how a file is to be read. */
export function fileType(
  parameters: Readonly<Record<Exclude<ParameterName, "map">, string | undefined>> & { readonly map: readonly string[] },
): string {
  const { map, ...others } = parameters;
  const all = { ...others, map: map.length > 0 ? map.join("\n") : undefined };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : `; ${name}="${encodeURIComponent(value)}"`,
  );
  return `application/octet-stream${given.join("")}`;
}

function requireCharset(text: string): GivenCharset {
  const found = givenCharsets.find((charset) => charset === text.toLowerCase());
  if (found !== undefined) return found;
  throw new ContentError(`The parameter charset of the Content-Type must be ${wording.eitherOf(givenCharsets)}`);
}

/** @throws ContentError when one is not encoded as in a URL */
function parametersOf({ parameters }: MediaType): Readonly<Partial<Record<ParameterName, string>>> {
  return Object.fromEntries(
    Array.from(parameters, ([name, value]) => [name, readParameter(name, () => decodeURIComponent(value))]),
  );
}

function readParameter<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof URIError)
      throw new ContentError(`The parameter ${name} of the Content-Type is not encoded as in a URL`);
    if (error instanceof RangeError)
      throw new ContentError(`The parameter ${name} of the Content-Type ${error.message}`);
    throw error;
  }
}
