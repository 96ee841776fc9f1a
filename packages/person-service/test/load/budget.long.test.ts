import { describeBudget } from "./budget.ts";

describeBudget(65_536);
