// Programs that compile this source by import find the types of pgpass only so.
/// <reference path="./pgpass.d.ts" />
import pgpass from "pgpass";

/**
 * Returns the password that the file of PGPASSFILE, or `~/.pgpass`, has for a connection; undefined where it has none. pg calls it
 * when the server wants a password, and neither the address nor PGPASSWORD has one.
 */
export const passwordFromFile = (connection: object): Promise<string | undefined> =>
  new Promise((resolve) => pgpass(connection, resolve));
