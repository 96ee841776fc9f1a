import { describeSqliteListWork } from "./sqlite-list-work.ts";

describeSqliteListWork([1_000, 10_000]);
