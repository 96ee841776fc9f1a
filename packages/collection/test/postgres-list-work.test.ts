import { describePostgresListWork } from "./postgres-list-work.ts";

describePostgresListWork([10_000]);
