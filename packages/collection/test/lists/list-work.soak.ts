import { describePostgresListWork } from "../stores/postgres/list-work.ts";
import { describeSqliteListWork } from "../stores/sqlite/reading/list-work.ts";

describeSqliteListWork({ count: 100_000, each: 1 });
describePostgresListWork({ count: 100_000, each: 1 });
