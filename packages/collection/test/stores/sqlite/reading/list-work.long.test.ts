import { describeSqliteListWork } from "./list-work.ts";

describeSqliteListWork({ count: 10_000, each: 3 });
