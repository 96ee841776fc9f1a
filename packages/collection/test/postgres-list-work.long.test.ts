import { describePostgresListWork } from "./postgres-list-work.ts";

describePostgresListWork({ count: 10_000, each: 3 });
