/** How many cases a slow property test compares: as many as usual, or that times the variable RUNS_FACTOR, which the soak sets. */
export const runs = (usual: number): number => usual * Number(process.env["RUNS_FACTOR"] ?? 1);
