import { SharedWriter } from "@waymark/collection";
import { openPersonService } from "@waymark/person-service";
import { serve } from "waymark/node";
import { superviseWorkers } from "../../packages/person-service/src/cli/workers/supervisor.ts";
import { workerOfThisProcess } from "../../packages/person-service/src/cli/workers/worker.ts";
import { personCollection } from "../../packages/person-service/src/person/collection.ts";
import { databaseArgument, endWithInput } from "./server-program.ts";

// The whole service with two workers, as its command line starts them with --workers 2.

const worker = workerOfThisProcess();
if (worker === undefined) {
  endWithInput();
  const print = (line: string): boolean => process.stdout.write(`${line}\n`);
  const log = { write: (_level: string, _event: string, message = "") => process.stderr.write(`${message}\n`) };
  const writer = new SharedWriter({ file: databaseArgument(), collections: [personCollection] });
  process.exitCode = await superviseWorkers({ count: 2, grace: 0, print, log, writer });
} else {
  const { app, database } = await openPersonService({ database: databaseArgument(), writer: worker.writer });
  const server = await serve(app, { port: worker.port ?? 0 });
  worker.onStop(async () => {
    await server.close();
    await database.close();
  });
  worker.tellReady(server.port, [String(server.port)]);
}
