import { describePostgresListWork } from "./postgres-list-work.ts";
import { describeSqliteListWork } from "./sqlite-list-work.ts";

describeSqliteListWork([100_000]);
describePostgresListWork([100_000]);
