import { openPersonService } from "@waymark/person-service";
import { serve } from "waymark/node";
import { announce, databaseArgument } from "./server-program.ts";

// The whole service, as its command line starts it.

const { app } = await openPersonService({ database: databaseArgument() });
const { port } = await serve(app, { port: 0 });
announce(port);
