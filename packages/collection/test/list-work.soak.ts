import { describePostgresListWork } from "./postgres-list-work.ts";
import { describeSqliteListWork } from "./sqlite-list-work.ts";

describeSqliteListWork({ count: 100_000, each: 1 });
describePostgresListWork({ count: 100_000, each: 1 });
