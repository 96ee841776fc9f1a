import { describeBudget } from "./budget.ts";

describeBudget();
