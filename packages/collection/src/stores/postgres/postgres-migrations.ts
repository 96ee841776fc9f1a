import { unfinished } from "../../snapshot.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { UnusableDatabase } from "./postgres-open-fault.ts";

/**
 * Each takes the layout of our own tables from one number to the next, the first from 0 to 1. What is released is never
 * changed: another one is added to it.
 */
const migrations: readonly string[] = [
  `
    CREATE TABLE waymark_layout (version integer NOT NULL);
    INSERT INTO waymark_layout VALUES (0);
    CREATE TABLE waymark_collections (
      name text COLLATE "C" PRIMARY KEY,
      revision bigint NOT NULL, -- the last one
      last_id bigint NOT NULL,  -- the greatest that any record ever had
      full_text text            -- the members whose words the records have, and how these are made; NULL for none
    );
    CREATE TABLE waymark_removals (
      collection text COLLATE "C" NOT NULL,
      id bigint NOT NULL, -- that a record had, and none may have again
      PRIMARY KEY (collection, id)
    );
    CREATE TABLE waymark_keys (
      collection text COLLATE "C" NOT NULL,
      owner bigint NOT NULL, -- of the record; 0 where it has none
      key text COLLATE "C" NOT NULL,
      fingerprint text NOT NULL,
      id bigint NOT NULL,
      revision bigint NOT NULL,
      time bigint NOT NULL,  -- when the record was created, in milliseconds since the epoch
      document text NOT NULL, -- the record as it was then
      PRIMARY KEY (collection, owner, key)
    );
    CREATE INDEX waymark_keys_time ON waymark_keys (collection, time);
    -- Whatever removes records, the removal of their owner included: it is counted, and their ids are used up.
    CREATE FUNCTION waymark_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      DECLARE
        count bigint := (SELECT count(*) FROM removed);
      BEGIN
        IF count > 0 THEN
          INSERT INTO waymark_removals SELECT TG_ARGV[0], id FROM removed;
          UPDATE waymark_collections SET revision = revision + count WHERE name = TG_ARGV[0];
        END IF;
        RETURN NULL;
      END
    $$;
    -- What a value in a document is compared as; NULL for one of another type.
    CREATE FUNCTION waymark_text(value json) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      BEGIN
        RETURN CASE json_typeof(value) WHEN 'string' THEN value #>> '{}' END;
      END
    $$;
    CREATE FUNCTION waymark_number(value json) RETURNS double precision
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      BEGIN
        RETURN CASE json_typeof(value) WHEN 'number' THEN (value #>> '{}')::double precision END;
      END
    $$;
    -- Milliseconds since the epoch for a time of RFC 3339; digits of the second beyond the third are left out.
    CREATE FUNCTION waymark_time(value json) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      DECLARE
        part text[] := regexp_match(waymark_text(value),
          '^(\\d{4})-(0[1-9]|1[0-2])-(\\d\\d)[Tt](\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d+))?(?:[Zz]|([+-]\\d\\d):(\\d\\d))$');
        -- 400 years later, which are always of so many days, since there is no year 0 here.
        days bigint := make_date(part[1]::integer + 400, part[2]::integer, 1) - DATE '1970-01-01' - 146097
          + part[3]::integer - 1;
        zone integer := coalesce(part[8]::integer * 60 + (left(part[8], 1) || part[9])::integer, 0);
      BEGIN
        RETURN (((days * 24 + part[4]::integer) * 60 + part[5]::integer - zone) * 60 + part[6]::integer) * 1000
          + left(coalesce(part[7], '') || '000', 3)::integer;
      END
    $$;
  `,
];

/**
 * Brings the layout to that of this program, within the transaction of the connection. It waits for another program that
 * does the same, so that each migration is made once.
 *
 * @throws UnusableDatabase when the layout is newer
 */
export async function migrate(connection: PostgresConnection): Promise<void> {
  await connection.query({ text: `SELECT pg_advisory_xact_lock(${migrationLock})` });
  const version = await layoutOf(connection);
  if (version > migrations.length) {
    throw new UnusableDatabase(
      `a newer version of this program wrote it (layout ${version}, and this one knows ${migrations.length}); upgrade, or name another database`,
    );
  }
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) await connection.query({ text: migration });
  await connection.query({ text: `UPDATE waymark_layout SET version = ${migrations.length}` });
}

/** The ASCII codes of `waymark`. */
const migrationLock = "33602696382607979";

/** The layout of the tables; 0 where there are none. */
export async function layoutOf(connection: PostgresConnection): Promise<number> {
  const [[isThere] = []] = await connection.query({ text: "SELECT to_regclass('waymark_layout')" });
  if (isThere === null) return 0;
  const [[version] = []] = await connection.query({ text: "SELECT version FROM waymark_layout" });
  return Number(version);
}

/** @throws UnusableDatabase when a snapshot is being loaded into it */
export async function assertFinished(connection: PostgresConnection): Promise<void> {
  const [[isLoading] = []] = await connection.query({ text: "SELECT to_regclass('waymark_loading')" });
  if (isLoading !== null) throw new UnusableDatabase(unfinished);
}
