/** What somebody can mend who runs the command. */
export class CommandError extends Error {}
