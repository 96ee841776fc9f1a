import { describePostgresListWork } from "./postgres-list-work.ts";

describePostgresListWork([1_000, 10_000]);
