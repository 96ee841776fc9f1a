import cluster from "node:cluster";
import { databaseArgument, endWithInput } from "./server-program.ts";

// The program with two workers, as its command line starts it. It prints the URL at which they listen.

if (cluster.isPrimary) {
  const database = databaseArgument();
  process.argv.splice(2, 1, "--port", "0", "--database", database, "--workers", "2");
  endWithInput();
}
await import(new URL("../../packages/person-service/bin/person-service.js", import.meta.url).href);
