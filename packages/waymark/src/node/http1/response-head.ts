/**
 * Makes the heads of responses (RFC 9112 §4, §6). What many have in common is made once: a status line for each status, and
 * the fields of date and connection for a second.
 */
export class ResponseHeads {
  readonly #keepAlive: string;
  #second = 0;
  #kept = "";
  #closed = "";

  /** @param keepAliveTimeout how long an idle connection is kept, in milliseconds; 0 for any time */
  constructor(keepAliveTimeout: number) {
    const seconds = Math.floor(keepAliveTimeout / 1000);
    this.#keepAlive = `Connection: keep-alive\r\n${seconds === 0 ? "" : `Keep-Alive: timeout=${seconds}\r\n`}\r\n`;
  }

  /**
   * @param lines the field lines of the response
   * @param framing how long its content is, or that it comes in chunks: a field line, or empty
   * @param closes whether the connection ends with it
   */
  make(status: number, lines: string, framing: string, closes: boolean): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) this.#renew(second);
    return statusLine(status) + lines + framing + (closes ? this.#closed : this.#kept);
  }

  #renew(second: number): void {
    const date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    this.#second = second;
    this.#kept = date + this.#keepAlive;
    this.#closed = `${date}Connection: close\r\n\r\n`;
  }
}

const statusLines: (string | undefined)[] = [];

function statusLine(status: number): string {
  statusLines[status] ??= `HTTP/1.1 ${status} ${reasonPhrases[status] ?? "Unknown"}\r\n`;
  return statusLines[status];
}

/** The interim response that lets a client send its content (RFC 9110 §15.2.1). */
export const interimResponse = "HTTP/1.1 100 Continue\r\n\r\n";

/** The reason phrases of statuses (RFC 9110 §15, and the HTTP Status Code Registry of IANA). */
const reasonPhrases: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  203: "Non-Authoritative Information",
  204: "No Content",
  205: "Reset Content",
  206: "Partial Content",
  207: "Multi-Status",
  208: "Already Reported",
  226: "IM Used",
  300: "Multiple Choices",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  305: "Use Proxy",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  417: "Expectation Failed",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  423: "Locked",
  424: "Failed Dependency",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
  506: "Variant Also Negotiates",
  507: "Insufficient Storage",
  508: "Loop Detected",
  510: "Not Extended",
  511: "Network Authentication Required",
};
