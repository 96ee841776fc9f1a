import { checkConfigCommand } from "./commands/check-config.ts";
import type { Command } from "./commands/command.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { keyCommands } from "./commands/key.ts";
import { backupCommand, copyCommand, dropIndexesCommand, restoreCommand, resumeCommand } from "./commands/moving.ts";
import { openApiCommand } from "./commands/openapi.ts";
import { passwordHashCommand } from "./commands/password.ts";
import { routesCommand } from "./commands/routes.ts";
import { serveCommand } from "./commands/serve.ts";
import { webhooksCommand } from "./commands/webhooks.ts";

/** The commands by name, in the order of the help. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    serve: serveCommand,
    "check-config": checkConfigCommand,
    import: importCommand,
    export: exportCommand,
    webhooks: webhooksCommand,
    routes: routesCommand,
    openapi: openApiCommand,
    copy: copyCommand,
    backup: backupCommand,
    restore: restoreCommand,
    resume: resumeCommand,
    "drop-indexes": dropIndexesCommand,
    ...keyCommands,
    "password hash": passwordHashCommand,
  }),
);
