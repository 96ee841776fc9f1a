import { describeSqliteListWork } from "./sqlite-list-work.ts";

describeSqliteListWork({ count: 10_000, each: 3 });
