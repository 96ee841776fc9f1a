/** Why a server does not listen. */
export type ListenFailure = "port-taken" | "port-forbidden" | "host-unknown" | "listen-failed";

/** The server could not begin to listen; the message says what to do. */
export class ListenError extends Error {
  readonly code: ListenFailure;
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const [code, advice] = explain(cause.code, host, port);
    super(advice, { cause });
    this.name = "ListenError";
    this.code = code;
    this.host = host;
    this.port = port;
  }
}

function explain(code: string | undefined, host: string, port: number): readonly [ListenFailure, string] {
  switch (code) {
    case "EADDRINUSE":
      return ["port-taken", `Port ${port} on ${host} is taken: stop what listens there, or choose another port`];
    case "EACCES":
      return ["port-forbidden", `Port ${port} on ${host} needs privileges: choose a port from 1024 on`];
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return ["host-unknown", `${host} is not an address of this machine: choose one that is, such as 127.0.0.1`];
    default:
      return ["listen-failed", `The server cannot listen on port ${port} of ${host} (${code ?? "unknown error"})`];
  }
}
