/** Whether the program is a single executable of Node.js, which has no files; false on runtimes without them, such as Bun. */
export const isSingleExecutable = (): boolean => {
  const sea: typeof import("node:sea") | undefined = process.getBuiltinModule("node:sea");
  return sea?.isSea() === true;
};
