/**
 * The tests of what rests on Node itself: its HTTP, streams, codings, SQLite, cryptography, command line and stack
 * traces, and the Unicode of V8. What only computes does the same on every Node. Each of these has one test that shows it: the
 * other tests of the program, of PostgreSQL and of SQLite use nothing else of Node.
 */
const names = {
  waymark: `content/content-coding content/request-content content/strict-json content/web-content filters/compress common/messages
    path/request-target routing/findings/routing-error web-response`,
  node: `adapters event-loop-turns.serial hostile/fuzz connections/half-closed http2/http2 hostile/limits.serial node-adapter
    content/node-codings node-listener refused-messages connections/rolling-restart http1/bounds http1/connection/connection
    http1/differential/differential http1/smuggling http1/upgrade`,
  collection:
    "stores/sqlite/reading/query-plan stores/sqlite/reading/reader.long stores/sqlite/store stores/sqlite/writer stores/words",
  "person-service":
    "access/password access/tokens routes/contract cli/from-source cli/options faults/shared-file.serial",
};

/** Their paths from the root. */
export const dependsOnNode: readonly string[] = Object.entries(names).flatMap(([folder, files]) =>
  files.split(/\s+/).map((file) => `packages/${folder}/test/${file}.test.ts`),
);
