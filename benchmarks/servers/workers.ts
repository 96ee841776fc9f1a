import { openPersonService } from "@waymark/person-service";
import { serve } from "waymark/node";
import { superviseWorkers, workerOfThisProcess } from "../../packages/person-service/src/cli/supervisor.ts";
import { databaseArgument, endWithInput } from "./server-program.ts";

// The whole service with two workers, as its command line starts them with --workers 2.

const worker = workerOfThisProcess();
if (worker === undefined) {
  endWithInput();
  const print = (line: string): boolean => process.stdout.write(`${line}\n`);
  const log = { write: (_level: string, _event: string, message = "") => process.stderr.write(`${message}\n`) };
  process.exitCode = await superviseWorkers({ count: 2, grace: 0, print, log });
} else {
  const { app, database } = await openPersonService({ database: databaseArgument() });
  const server = await serve(app, { port: worker.port ?? 0 });
  worker.onStop(async () => {
    await server.close();
    await database.close();
  });
  worker.tellReady(server.port, [String(server.port)]);
}
