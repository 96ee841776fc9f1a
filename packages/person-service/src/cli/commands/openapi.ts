import { openPersonService } from "../../service.ts";
import { databaseOptions } from "../settings/database-options.ts";
import { membersIn, membersOption } from "../settings/members-option.ts";
import { serveOptions } from "../settings/options.ts";
import type { Command } from "./command.ts";

const { "public-url": publicUrlOption } = serveOptions;

/** Prints the OpenAPI document. */
export const openApiCommand: Command = {
  about: "Prints the OpenAPI document of the service, as it serves it at /openapi.json.",
  notes: ["It needs no database and no running service."],
  examples: [["person-service openapi > openapi.json", "for a generator of clients"]],
  options: {
    "public-url": { ...publicUrlOption, about: "where clients reach the service: what the document names it by" },
    access: { value: "FILE", about: "the access file: the credentials that requests need" },
    keys: { value: "FILE", about: "the file of API keys, if there is one" },
    members: membersOption,
    config: databaseOptions.config,
  },
  async run(given, { write }) {
    const [publicUrl, file, keys] = ["public-url", "access", "keys"].map((name) => given.value(name));
    const { apiDocument } = await import("../../api/document.ts");
    const access =
      file === undefined ? undefined : await (await import("../../access/access.ts")).openAccess({ file, keys });
    const service = { database: ":memory:", members: membersIn(given), publicUrl, access: access?.filter };
    const { app, database } = await openPersonService(service);
    await database.close();
    const document = await apiDocument(app, { publicUrl, security: access?.filter.security() });
    write(`${JSON.stringify(document, undefined, 2)}\n`);
  },
};
