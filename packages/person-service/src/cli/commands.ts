import { checkConfigCommand } from "./check-config.ts";
import type { Command } from "./command.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { keyCommands } from "./key.ts";
import { backupCommand, copyCommand, restoreCommand, resumeCommand } from "./moving.ts";
import { openApiCommand } from "./openapi.ts";
import { passwordCommands } from "./password.ts";
import { routesCommand } from "./routes.ts";
import { serveCommand } from "./serve.ts";

/** The commands by name, in the order of the help. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["serve", serveCommand],
  ["check-config", checkConfigCommand],
  ["import", importCommand],
  ["export", exportCommand],
  ["routes", routesCommand],
  ["explain", explainCommand],
  ["openapi", openApiCommand],
  ["copy", copyCommand],
  ["backup", backupCommand],
  ["restore", restoreCommand],
  ["resume", resumeCommand],
  ...Object.entries(keyCommands).map(([verb, command]) => [`key ${verb}`, command] as const),
  ...Object.entries(passwordCommands).map(([verb, command]) => [`password ${verb}`, command] as const),
]);
