import { quote } from "waymark/internal";
import { formatNames, formatOfFile, formats, isFormatName, type TransferFormat } from "../../transfer/formats.ts";
import { oneOf, type Setting, setting } from "../settings/setting.ts";
import { CommandError } from "../terminal/command-error.ts";

/** The option of the commands that read or write a file of people. */
export const formatOption: Setting<string | undefined> = setting(oneOf(...formatNames), {
  value: "FORMAT",
  about: `the format: ${formatNames.join(", ")}; by default that of the file's name`,
});

/**
 * Returns the format that is given, or that of a file's name.
 *
 * @throws CommandError when the name says no format
 */
export function formatFor(file: string, wanted: string | undefined): TransferFormat {
  const format = wanted !== undefined && isFormatName(wanted) ? formats[wanted] : formatOfFile(file);
  if (format !== undefined) return format;
  throw new CommandError(`The name of ${quote(file)} says no format: add --format with ${formatNames.join(", ")}.`);
}
