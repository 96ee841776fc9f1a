import { openPersonService } from "../../service.ts";
import { but } from "../settings/setting.ts";
import { membersIn, shared } from "../settings/settings.ts";
import { type Command, command } from "./command.ts";

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
    const { apiDocument } = await import("../../api/document.ts");
    const { forClients } = await import("../../api/for-clients.ts");
    const access =
      file === undefined ? undefined : await (await import("../../access/access.ts")).openAccess({ file, keys });
    const service = { database: ":memory:", members: membersIn(values), publicUrl, access: access?.filter };
    const { app, database } = await openPersonService(service);
    await database.close();
    const document = forClients(await apiDocument(app, { publicUrl, security: access?.filter.security() }));
    write(`${JSON.stringify(document, undefined, 2)}\n`);
  },
});
