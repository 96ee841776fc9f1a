export type { ServedApp } from "../served-app.ts";
export { connectionProblemTypes } from "./connection-problem-types.ts";
export type { ProxyFields } from "./forwarded.ts";
export { ListenError, type ListenFailure } from "./listen-error.ts";
export { nodeCodings } from "./node-codings.ts";
export { type RunningServer, serve } from "./serve.ts";
export type { ServeOptions } from "./serve-options.ts";
export type { CloseOptions } from "./shut-down.ts";
export type { TlsCredentials } from "./tls-credentials.ts";
