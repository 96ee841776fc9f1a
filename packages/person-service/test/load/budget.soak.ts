import { describeBudget, describeTurns } from "./budget.ts";

describeBudget();
// Twice the 10 ms of a processor that has nothing else to do.
describeTurns(20);
