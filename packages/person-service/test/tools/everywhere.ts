/** Names the environment variable of a run of tests on everything: each transport, and each kind of database. */
export const everywhereVariable = "TEST_EVERYWHERE";

/** Whether the tests run so. */
export const isEverywhere: boolean = process.env[everywhereVariable] !== undefined;
