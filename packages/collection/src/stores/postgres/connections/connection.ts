import { Socket } from "node:net";
import { Client, type QueryArrayConfig, type QueryArrayResult } from "pg";
import { type PostgresRole, type PostgresServer, passwordFromFile } from "./address.ts";
import { ConnectionLost, sqlState, sqlStateOf } from "./fault.ts";
import {
  finishSession,
  isRefusedParameter,
  type PostgresTimeouts,
  type Statement,
  settingsOfTransaction,
  timeoutSettings,
} from "./session.ts";

/**
 * A connection to a server. It sends statements at once, without waiting for earlier answers; the server runs them one after another.
 *
 * A session begins with its timeouts and its search path. A pooler such as PgBouncer may not accept them, and may give each
 * transaction another session: then every transaction makes these settings itself, and no statement has a name.
 */
export class PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  /** The statement that makes the settings for one transaction; undefined where the session has them. */
  readonly #localSettings: Statement | undefined;
  /** Whether the server must accept changes: when it no longer does, the connection is given up. */
  readonly #mustWrite: boolean;
  /** In milliseconds, how long the answer to a statement may take. */
  readonly #patience: number;
  /** How many statements that may take long have no answer yet: those behind them wait as long. */
  #long = 0;
  /** What will be sent when this turn of the event loop has asked for all, by the texts of the statements. */
  readonly #asked = new Map<string, AskedForMany>();
  #isUsable = true;

  /**
   * Opens a connection to a server.
   *
   * @param role what the server must be; whether it is so is for the caller to ask
   * @throws the error of the server, or of the system; UnusableDatabase when a pooler in front of it does not pass on the options of
   *   the address
   */
  static async open(
    server: PostgresServer,
    timeouts: PostgresTimeouts,
    role: PostgresRole,
  ): Promise<PostgresConnection> {
    let connection = new PostgresConnection(server, timeouts, role);
    try {
      if (!(await connection.#beginSession(timeouts, server.options))) {
        connection.destroy();
        connection = new PostgresConnection(server, timeouts, role, settingsOfTransaction(timeouts, server.options));
        await connection.#client.connect();
      }
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  private constructor(
    { connectionString, options }: PostgresServer,
    timeouts: PostgresTimeouts,
    role: PostgresRole,
    localSettings?: Statement,
  ) {
    this.#localSettings = localSettings;
    this.#patience = timeouts.statement + 1000;
    this.#mustWrite = role === "read-write" || role === "primary";
    this.#socket = new Socket();
    this.#client = new Client({
      fallback_application_name: "waymark",
      connectionString,
      ...(localSettings === undefined && {
        ...(options !== undefined && { options }),
        ...timeoutSettings(timeouts),
      }),
      stream: () => this.#socket,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: timeouts.connect,
      types: { getTypeParser: () => (value: string) => value },
    });
    // pg would read the file, too, and warn that a later version will not.
    if (this.#client.password == null) Object.assign(this.#client, { password: passwordFromFile });
    // Pending statements fail by themselves; this keeps the connection from being used again.
    for (const event of ["error", "end"] as const) {
      this.#client.on(event, () => {
        this.#isUsable = false;
      });
    }
  }

  /** Whether statements can be sent: no longer after the connection breaks or is closed. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Calls back when the connection has ended, for whatever reason. */
  onEnd(listener: () => void): void {
    this.#client.once("end", listener);
  }

  /**
   * Calls back with the text of each notice of a channel, as long as the connection lasts. Returns false where it hears none: a pooler may
   * give each transaction another session.
   */
  async listen(channel: string, onNotice: (text: string) => void): Promise<boolean> {
    if (this.#localSettings !== undefined) return false;
    this.#client.on("notification", ({ payload = "" }) => onNotice(payload));
    await this.query({ text: `LISTEN ${channel}` });
    return true;
  }

  /** Does work in a transaction. An error of the work or of the commit breaks the connection, which undoes all of it. */
  async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.begin();
      const result = await work();
      await this.query({ text: "COMMIT" });
      return result;
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  /** Begins a transaction. Statements that are sent after it belong to it. */
  async begin(mode = "ISOLATION LEVEL READ COMMITTED"): Promise<void> {
    const begun = this.query({ text: `BEGIN ${mode}` });
    await Promise.all(this.#localSettings === undefined ? [begun] : [begun, this.query(this.#localSettings)]);
  }

  /** Returns the rows of a statement that is its own transaction, as `query` returns them. */
  async queryAlone<Row extends readonly (string | null)[]>(statement: Statement): Promise<Row[]> {
    if (statement.isForMany !== true) return this.#queryAlone<Row>(statement);
    const { text, values = [] } = statement;
    const asked = this.#asked.get(text) ?? this.#askForMany(statement);
    const number = `${asked.values.push(values)}`;
    const rows = await asked.rows;
    return rows.filter((row) => row.at(-1) === number) as unknown as Row[]; // the caller knows the columns
  }

  /** Begins a statement that is sent with the values of all that ask for it in this turn of the event loop. */
  #askForMany(statement: Statement): AskedForMany {
    const values: AskedForMany["values"] = [];
    const elements = (position: number): string => values.map((each) => `${each[position]}`.slice(1, -1)).join(",");
    const rows = Promise.resolve().then(() => {
      this.#asked.delete(statement.text);
      return this.#queryAlone({ ...statement, values: values[0]?.map((_value, i) => `{${elements(i)}}`) ?? [] });
    });
    const asked = { values, rows };
    this.#asked.set(statement.text, asked);
    return asked;
  }

  async #queryAlone<Row extends readonly (string | null)[]>(statement: Statement): Promise<Row[]> {
    if (this.#localSettings === undefined) return this.query<Row>(statement);
    const sent = [this.begin(), this.query<Row>(statement)] as const;
    const ended = this.query({ text: "COMMIT" }); // which undoes a transaction that failed
    await Promise.allSettled([...sent, ended]);
    const [, rows] = await Promise.all([...sent, ended]);
    return rows;
  }

  /**
   * Returns the rows, each an array of its columns: text as the server writes it, or null.
   *
   * @throws ConnectionLost when no answer can come any more; otherwise the error of the server
   */
  async query<Row extends readonly (string | null)[]>({ name, text, values = [], isLong }: Statement): Promise<Row[]> {
    if (isLong === true) this.#long++;
    try {
      const isNamed = name !== undefined && this.#localSettings === undefined;
      const statement = { text, values: [...values], rowMode: "array" as const, ...(isNamed && { name }) };
      const { rows } = await this.#send(statement, this.#long > 0 ? longPatience : this.#patience);
      return rows as unknown as Row[]; // the caller knows the columns of its statement
    } catch (error) {
      const state = sqlStateOf(error);
      // An error without a code is the driver's: there is no connection. With 57P01 and similar codes, the server ends it. A server
      // that must accept changes but is read-only has become a standby: another server accepts them.
      const isDemoted = this.#mustWrite && state === sqlState.readOnly;
      if (state !== undefined && !state.startsWith("57P") && !isDemoted && this.#isUsable) throw error;
      this.destroy();
      throw new ConnectionLost("The connection to the database broke", { cause: error });
    } finally {
      if (isLong === true) this.#long--;
    }
  }

  /**
   * Sends a statement, and breaks the connection when its answer is too late. Statements of one turn of the event loop are one write,
   * which takes as long as all else of a short statement. The driver's own promises and timers refer to the
   * statement and its rows, which then outlive many collections of garbage: that took a fourth of the time of a page.
   */
  #send(statement: QueryArrayConfig, patience: number): Promise<QueryArrayResult> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryArrayResult>();
    const timer = setTimeout(() => this.destroy(), patience);
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      process.nextTick(() => this.#socket.uncork());
    }
    this.#client.query(statement, (error: Error | null, result: QueryArrayResult) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
    return promise;
  }

  /** Closes the connection once the pending statements are answered, or after half a second without an end. */
  async close(): Promise<void> {
    this.#isUsable = false;
    const timer = setTimeout(() => this.#socket.destroy(), 500);
    await this.#client.end();
    clearTimeout(timer);
  }

  /** Breaks the connection. Pending statements are lost. */
  destroy(): void {
    this.#isUsable = false;
    this.#socket.destroy();
  }

  /**
   * Connects. Returns whether the session has the settings that it was opened with: not where a pooler refuses or ignores them. If so,
   * makes the session answer a commit when it is on disk, even where the server is set up otherwise, and end a statement when its
   * connection is gone.
   */
  async #beginSession(timeouts: PostgresTimeouts, options: string | undefined): Promise<boolean> {
    try {
      await this.#client.connect();
      const [[isSetUp] = []] = await this.query(finishSession(timeouts, options));
      return isSetUp === "t";
    } catch (error) {
      if (isRefusedParameter(error)) return false;
      throw error;
    }
  }
}

/** In milliseconds, for the answer to a statement that may take long. */
const longPatience = 3_600_000;

/** A statement for all that ask for it in one turn of the event loop. */
interface AskedForMany {
  readonly values: NonNullable<Statement["values"]>[];
  readonly rows: Promise<readonly (readonly (string | null)[])[]>;
}
