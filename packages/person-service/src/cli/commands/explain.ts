import { HttpError, HttpRequest } from "waymark";
import { explainAnswer } from "waymark/internal";
import { openPersonService } from "../../service.ts";
import { matching, quotedArgument, setting } from "../settings/setting.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, command } from "./command.ts";

const fieldForm = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/;
const fieldSchema = matching("a name, a colon and a value, such as 'Accept: text/csv'", (field) =>
  fieldForm.test(field),
);

/** Explains how a request is routed. */
export const explainCommand: Command = command({
  about: "Explains which route takes a request, and why each other one does not.",
  notes: ["It runs no handler, and needs no database and no running service."],
  examples: [
    ["person-service explain GET /person/1 -H 'Accept: text/plain'", "why that is a 406"],
    ["person-service explain DELETE /person", "why that is a 405"],
  ],
  operands: ["METHOD", "PATH"],
  options: {
    header: setting(fieldSchema, {
      short: "H",
      value: "FIELD",
      multiple: true,
      about: "a header field of the request, such as 'Accept: text/csv'; may be given several times",
    }),
  },
  async run({ operands, values }, { print }) {
    const request = toRequest(operands, values.header);
    const { app, database } = await openPersonService({ database: ":memory:" });
    await using _ = database;
    print(await explainAnswer(app, request));
  },
});

function toRequest([method = "", target = ""]: readonly string[], header: readonly string[]): HttpRequest {
  const fields = header.map((field) => fieldForm.exec(field)?.slice(1) as [string, string]); // its form is checked
  try {
    return fields.reduce(
      (request, [name, value]) => request.withHeader(name, value),
      HttpRequest.of({ method, target, headers: { Host: "localhost" } }),
    );
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { detail } = error.response.problem ?? {};
    throw new CommandError(`${quotedArgument(target)} cannot be the path of a request: ${detail}`);
  }
}
