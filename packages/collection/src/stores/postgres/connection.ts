import { Socket } from "node:net";
import { Client, type ClientConfig } from "pg";
import { ConnectionLost, sqlStateOf } from "./fault.ts";

/** A statement with its values, whose text is planned once a connection when it has a name. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly (string | number | null)[];
}

/** How long the parts of the work with a server may take, each in milliseconds. */
export interface PostgresTimeouts {
  /** Until a connection can be used. */
  readonly connect: number;
  /** A statement in the server. The answer is waited for a second longer. */
  readonly statement: number;
  /** Waiting for a lock that another transaction holds. */
  readonly lock: number;
}

/**
 * A connection to a server. Statements are sent at once, without waiting for the answers to those before them, and run
 * one after another.
 */
export class PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  #isUsable = true;

  /** @throws the error of the server, or of the system */
  static async open(config: ClientConfig, timeouts: PostgresTimeouts): Promise<PostgresConnection> {
    const connection = new PostgresConnection(config, timeouts);
    try {
      await connection.#client.connect();
      // A commit must be on disk before it is answered, even where the server is set up otherwise.
      await connection.#client.query(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
      );
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  private constructor(config: ClientConfig, timeouts: PostgresTimeouts) {
    this.#socket = new Socket();
    this.#client = new Client({
      fallback_application_name: "waymark",
      ...config,
      stream: () => this.#socket,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: timeouts.connect,
      statement_timeout: timeouts.statement,
      lock_timeout: timeouts.lock,
      idle_in_transaction_session_timeout: timeouts.statement,
      query_timeout: timeouts.statement + 1000,
      types: { getTypeParser: () => (value: string) => value },
    });
    // Statements in hand are told by themselves; here it is noted for those that come.
    for (const event of ["error", "end"] as const) {
      this.#client.on(event, () => {
        this.#isUsable = false;
      });
    }
  }

  /** Whether statements can be sent: not once it has broken or was closed. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * The rows, each an array of its columns: text as the server writes it, null where there is none.
   *
   * @throws ConnectionLost when the answer will never come; else the error of the server
   */
  async query<Row extends readonly (string | null)[]>({ name, text, values = [] }: Statement): Promise<Row[]> {
    try {
      const statement = { text, values: [...values], rowMode: "array" as const, ...(name !== undefined && { name }) };
      const { rows } = await this.#client.query<Row[number][]>(statement);
      return rows as unknown as Row[]; // the caller knows the columns of its statement
    } catch (error) {
      const state = sqlStateOf(error);
      // An error without a code is the driver's: there is no connection. With 57P01 and the like the server ends it.
      if (state !== undefined && !state.startsWith("57P") && this.#isUsable) throw error;
      this.destroy();
      throw new ConnectionLost("The connection to the database broke", { cause: error });
    }
  }

  /** Says goodbye to the server, once what is in hand is answered; one that does not answer is waited for half a second. */
  async close(): Promise<void> {
    this.#isUsable = false;
    const timer = setTimeout(() => this.#socket.destroy(), 500);
    await this.#client.end();
    clearTimeout(timer);
  }

  /** Breaks it: what is in hand is lost. */
  destroy(): void {
    this.#isUsable = false;
    this.#socket.destroy();
  }
}
