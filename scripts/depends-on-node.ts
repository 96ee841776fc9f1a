/**
 * The tests of what rests on Node itself: its HTTP, streams, codings, SQLite, cryptography, command line and stack
 * traces, and the Unicode of V8. What only computes does the same on every Node. Each of these has one test that shows it: the
 * other tests of the program, of PostgreSQL and of SQLite use nothing else of Node.
 */
const names: Readonly<Record<string, readonly string[]>> = {
  waymark: [
    ...["content/content-coding", "content/request-content", "content/strict-json", "content/web-content"],
    ...["filters/compress", "messages", "path/request-target", "routing/routing-error", "web-response"],
  ],
  node: [
    ...["adapters", "event-loop-turns.serial", "fuzz", "half-closed", "http2", "limits.serial", "node-adapter"],
    ...["node-codings", "node-listener", "refused-messages", "rolling-restart"],
    ...["http1/bounds", "http1/connection", "http1/differential", "http1/smuggling", "http1/upgrade"],
  ],
  collection: ["query-plan", "sqlite-reader.long", "sqlite-store", "sqlite-writer", "words"],
  "person-service": ["access/password", "access/tokens", "contract", "from-source", "options", "shared-file.serial"],
};

/** Their paths from the root. */
export const dependsOnNode: readonly string[] = Object.entries(names).flatMap(([folder, files]) =>
  files.map((file) => `packages/${folder}/test/${file}.test.ts`),
);
