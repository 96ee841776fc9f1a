export type { Servable } from "waymark/internal";
export type { ProxyFields } from "./client.ts";
export { nodeCodings } from "./content/codings.ts";
export { type FileOptions, type FilesOptions, files, sendFile } from "./files.ts";
export { fromNode } from "./from-node.ts";
export { type ListenerOptions, toNodeListener } from "./node-listener.ts";
export type { Engine, ServeOptions, TlsCredentials } from "./options.ts";
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
export { type UpgradedConnection, type UpgradeHandler, upgrade } from "./upgrade.ts";
