import { type App, HttpError, HttpRequest } from "waymark";
import { caller } from "waymark/filters";
import { explainAnswer, samplePath } from "waymark/internal";
import { listRoutes } from "waymark/routing";
import type { Access } from "../../access/access.ts";
import { openPersonService } from "../../service.ts";
import { anyText, but, matching, quotedArgument, setting } from "../settings/setting.ts";
import { membersIn, shared } from "../settings/settings.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, command } from "./command.ts";

const fieldForm = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/;
const fieldSchema = matching("a name, a colon and a value, such as 'Accept: text/csv'", (field) =>
  fieldForm.test(field),
);

/** Lists the routes of the service, or explains how a request is routed. */
export const routesCommand: Command = command({
  about:
    "Lists the routes in the order in which they are tried, each with who is refused; or, for a request, says which one takes it, and why each other one does not.",
  notes: ["It runs no handler, and needs no database and no running service."],
  examples: [
    ["person-service routes --access access.json", "who is refused by that file"],
    ["person-service routes --access access.json --keys keys.json --as key:crm", "what the key crm reaches"],
    ["person-service routes GET /person/1 -H 'Accept: text/plain'", "why that is a 406"],
    ["person-service routes DELETE /person", "why that is a 405"],
  ],
  operands: ["[METHOD]", "[PATH]"],
  options: {
    header: setting(fieldSchema, {
      short: "H",
      value: "FIELD",
      multiple: true,
      about: "a header field of the request, such as 'Accept: text/csv'; may be given several times",
    }),
    as: setting(anyText, { value: "CALLER", about: "only what this caller reaches: key:NAME, user:NAME, or anyone" }),
    access: but(shared.access, { about: "the access file: who is refused" }),
    keys: but(shared.keys, { about: "the file of API keys, if there is one" }),
    config: shared.config,
  },
  faultIn({ operands, values: { header, as, access } }) {
    if (operands.length === 1 || (operands.length === 0 && header.length > 0))
      return "routes takes a METHOD and a PATH, or neither.";
    return as !== undefined && access === undefined
      ? "--as needs --access FILE: the rules that say what a caller may do."
      : undefined;
  },
  async run({ operands, values: { header, as, access: file, keys } }, { print }) {
    const request = operands.length === 0 ? undefined : toRequest(operands, header);
    const access =
      file === undefined ? undefined : await (await import("../../access/access.ts")).openAccess({ file, keys });
    const { app, database } = await openPersonService({ database: ":memory:", access: access?.filter });
    await using _ = database;
    if (request !== undefined) print(await explainAnswer(app, request));
    else print(listRoutes(as === undefined || access === undefined ? app : reachedBy(as, access, app)));
  },
});

/** Returns the routes that a caller reaches by the rules, each with the methods for which it does. */
function reachedBy(
  id: string,
  { content: { keys, users }, filter }: Access,
  { routes }: App,
): Parameters<typeof listRoutes>[0] {
  const known = [
    ...keys.map((key) => ({ ...key, id: `key:${key.name}` })),
    ...users.map((user) => ({ ...user, id: `user:${user.name}` })),
  ];
  const found = known.find((each) => each.id === id);
  if (found === undefined && id !== "anyone")
    throw new CommandError(`Nobody is ${id}: known are ${["anyone", ...known.map((each) => each.id)].join(", ")}.`);
  const anyone = HttpRequest.of();
  const request = found === undefined ? anyone : anyone.withAttribute(caller, found);
  const reached = routes.flatMap((route): App["routes"] => {
    const methods = route.methods?.filter((method) => filter.may(request, method, samplePath(route.path)));
    const isReached = methods === undefined ? filter.may(request, "GET", samplePath(route.path)) : methods.length > 0;
    return isReached ? [{ ...route, methods }] : [];
  });
  return { routes: reached, filters: [], findings: [] };
}

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

/** Prints the OpenAPI document. */
export const openApiCommand: Command = command({
  about: "Prints the OpenAPI document of the service, as it serves it at /openapi.json.",
  notes: ["It needs no database and no running service."],
  examples: [["person-service openapi > openapi.json", "for a generator of clients"]],
  options: {
    publicUrl: but(shared.publicUrl, { about: "where clients reach the service: what the document names it by" }),
    access: but(shared.access, { about: "the access file: the credentials that requests need" }),
    keys: but(shared.keys, { about: "the file of API keys, if there is one" }),
    members: shared.members,
    config: shared.config,
  },
  async run({ values }, { write }) {
    const { publicUrl, access: file, keys } = values;
    const { apiDocument, forClients } = await import("../../api/document.ts");
    const access =
      file === undefined ? undefined : await (await import("../../access/access.ts")).openAccess({ file, keys });
    const service = { database: ":memory:", members: membersIn(values), publicUrl, access: access?.filter };
    const { app, database } = await openPersonService(service);
    await database.close();
    const document = forClients(await apiDocument(app, { publicUrl, security: access?.filter.security() }));
    write(`${JSON.stringify(document, undefined, 2)}\n`);
  },
});
