export type { Servable } from "waymark/internal";
export { nodeCodings } from "./content/codings.ts";
export { type FileOptions, files, sendFile } from "./files.ts";
export { fromNode } from "./from-node.ts";
export { toNodeListener } from "./node-listener.ts";
export type { Engine, ServeOptions } from "./options.ts";
export { connectionProblemTypes } from "./problem-types.ts";
export {
  observeRequests,
  type RequestEvent,
  type RequestObserver,
  requestChannels,
  requestEvent,
} from "./request-events.ts";
export { ListenError, type ListenFailure, type RunningServer, serve } from "./serve.ts";
export type { CloseOptions } from "./shut-down.ts";
export { type UpgradedConnection, upgrade } from "./upgrade.ts";
