import { describeSqliteListWork } from "./sqlite-list-work.ts";

describeSqliteListWork([10_000]);
