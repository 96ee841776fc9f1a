export { observeRequests, type RequestObserver } from "./connections/request-events.ts";
export { upgrade } from "./connections/upgrade.ts";
export { nodeCodings } from "./content/codings.ts";
export { files, sendFile } from "./files.ts";
export { fromNode } from "./from-node.ts";
export { toNodeListener } from "./node-listener.ts";
export type { ServeOptions } from "./options.ts";
export { connectionProblemTypes } from "./problem-types.ts";
export { ListenError, type RunningServer, serve } from "./serve.ts";
