import { describePostgresListWork } from "./list-work.ts";

describePostgresListWork({ count: 10_000, each: 3 });
