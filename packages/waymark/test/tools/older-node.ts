/** The arguments of a Node.js that says of itself that it is version 20.20.2. */
export const asOlderNode: readonly string[] = [
  "--import",
  `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })')}`,
];
