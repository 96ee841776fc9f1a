/** How many cases a slow property test compares: as many as usual, or that times the variable RUNS_FACTOR, which the soak sets. */
export const runs = (usual: number): number => usual * Number(process.env["RUNS_FACTOR"] ?? 1);

/** Whether this is the thorough run, a part of the soak. */
export const isThorough: boolean = process.env["RUNS_FACTOR"] !== undefined;
