/** Who sent a request, and how it was addressed, as far as the server can tell. */
export interface Client {
  /** The IP address, `192.0.2.7` or `2001:db8::7`; undefined for a request that came over no connection. */
  readonly address: string | undefined;
  readonly scheme: "http" | "https";
  /** Host and port as the client gave them, `example.org:8080`; undefined when it gave none. */
  readonly host: string | undefined;
}
