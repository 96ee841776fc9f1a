import { type ListDecoder, temporaryFileFault } from "@waymark/collection";
import { ContentError } from "waymark/content";
import type { MediaType } from "waymark/fields";
import type { MemberList } from "../person/member-list.ts";
import { named } from "../person/named.ts";
import { parseMap } from "./columns.ts";
import { dateReader } from "./dates.ts";
import { formatOfContent, formatOfFile } from "./formats.ts";
import { isBlankRow, openPeopleFile, valuesOf } from "./people-file.ts";
import { copyOfStream, openSourceFile } from "./source-file.ts";

/**
 * Reads a file of people as other programs write it, by the rules of the command `import`. Parameters of the media type say what the
 * command has as options, each encoded as in a URL: `name`, the name of the file; `map`, pairs `Heading=member`, one a line; and
 * `date`, the form of dates. With `Prefer: handling=lenient`, columns that are no member are left out.
 */
export const peopleFileDecoder = (members: MemberList): ListDecoder => ({
  mediaTypes: ["application/octet-stream"],
  asNew: named,
  example: "Name;E-mail\nAda Lovelace;ada@example.org\n",
  async *decode(pieces, { mediaType, lenient, onFound, onColumns, onNote }) {
    const { name = "", map = "", date } = parametersOf(mediaType);
    await using copy = await copyOfStream(pieces).catch((error: unknown) => {
      throw temporaryFileFault(error);
    });
    const source = await openSourceFile(copy);
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
      leavesOut: lenient,
    });
    onFound?.(file.found);
    if (file.columns !== undefined) onColumns?.(file.columns.members.filter((member) => member !== undefined));
    for await (const { read: _, ...listed } of valuesOf(file, { onNote })) if (!isBlankRow(file, listed)) yield listed;
  },
});

/** @throws ContentError when one is not encoded as in a URL */
function parametersOf({ parameters }: MediaType): Readonly<Partial<Record<"name" | "map" | "date", string>>> {
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
