-- A database of PostgreSQL as layout 1 had it, with four people, of whom the last was removed, and the first was changed afterwards.
-- The statements are those that the program of that time made.

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
      '^(\d{4})-(0[1-9]|1[0-2])-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-]\d\d):(\d\d))$');
    -- 400 years later, which are always of so many days, since there is no year 0 here.
    days bigint := make_date(part[1]::integer + 400, part[2]::integer, 1) - DATE '1970-01-01' - 146097
      + part[3]::integer - 1;
    zone integer := coalesce(part[8]::integer * 60 + (left(part[8], 1) || part[9])::integer, 0);
  BEGIN
    RETURN (((days * 24 + part[4]::integer) * 60 + part[5]::integer - zone) * 60 + part[6]::integer) * 1000
      + left(coalesce(part[7], '') || '000', 3)::integer;
  END
$$;
CREATE TABLE "person" (
  id bigint PRIMARY KEY,
  revision bigint NOT NULL,
  created_at bigint NOT NULL, -- milliseconds since the epoch
  updated_at bigint NOT NULL,

  document json NOT NULL,     -- the text that is sent
  exact text,                 -- that text where document cannot have it
  words tsvector,             -- those of the members that have full text
  size integer NOT NULL GENERATED ALWAYS AS (octet_length(document::text)) STORED -- read without the document
);
CREATE INDEX "person_created_at" ON "person" (created_at, id);
CREATE INDEX "person_updated_at" ON "person" (updated_at, id);

CREATE TRIGGER waymark_removed AFTER DELETE ON "person" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION waymark_removed('person');
INSERT INTO waymark_collections VALUES ('person', 0, 0, NULL)
  ON CONFLICT (name) DO UPDATE SET full_text = NULL;
ALTER TABLE "person"
  ADD COLUMN "member_name" text COLLATE "C" GENERATED ALWAYS AS (left(waymark_text(document #> '{"name"}'), 600)) STORED,
  ADD COLUMN "member_email" text COLLATE "C" GENERATED ALWAYS AS (left(lower(waymark_text(document #> '{"email"}') COLLATE "C"), 600)) STORED,
  ADD COLUMN "member_height" double precision GENERATED ALWAYS AS (waymark_number(document #> '{"height"}')) STORED,
  ADD COLUMN "member_seen" bigint GENERATED ALWAYS AS (waymark_time(document #> '{"seen"}')) STORED,
  ADD COLUMN "unique_identifier" text COLLATE "C" GENERATED ALWAYS AS (CASE WHEN octet_length((document -> 'identifier')::text) > 2000 THEN encode(sha256(replace((document -> 'identifier')::text, '\', '\\')::bytea), 'hex') ELSE nullif((document -> 'identifier')::text, 'null') END) STORED;
COMMENT ON COLUMN "person"."member_name" IS 'text COLLATE "C" GENERATED ALWAYS AS (left(waymark_text(document #> ''{"name"}''), 600)) STORED';
CREATE INDEX "person_member_name" ON "person" ("member_name" ASC NULLS FIRST, id);
COMMENT ON COLUMN "person"."member_email" IS 'text COLLATE "C" GENERATED ALWAYS AS (left(lower(waymark_text(document #> ''{"email"}'') COLLATE "C"), 600)) STORED';
CREATE INDEX "person_member_email" ON "person" ("member_email" ASC NULLS FIRST, id);
COMMENT ON COLUMN "person"."member_height" IS 'double precision GENERATED ALWAYS AS (waymark_number(document #> ''{"height"}'')) STORED';
CREATE INDEX "person_member_height" ON "person" ("member_height" ASC NULLS FIRST, id);
COMMENT ON COLUMN "person"."member_seen" IS 'bigint GENERATED ALWAYS AS (waymark_time(document #> ''{"seen"}'')) STORED';
CREATE INDEX "person_member_seen" ON "person" ("member_seen" ASC NULLS FIRST, id);
COMMENT ON COLUMN "person"."unique_identifier" IS 'text COLLATE "C" GENERATED ALWAYS AS (CASE WHEN octet_length((document -> ''identifier'')::text) > 2000 THEN encode(sha256(replace((document -> ''identifier'')::text, ''\'', ''\\'')::bytea), ''hex'') ELSE nullif((document -> ''identifier'')::text, ''null'') END) STORED';
ALTER TABLE "person" ADD CONSTRAINT "person_unique_identifier" UNIQUE ("unique_identifier") DEFERRABLE;
CREATE INDEX "person_words" ON "person" USING gin (words);
CREATE TABLE "book" (
  id bigint PRIMARY KEY,
  revision bigint NOT NULL,
  created_at bigint NOT NULL, -- milliseconds since the epoch
  updated_at bigint NOT NULL,
  owner bigint NOT NULL REFERENCES "person" (id) ON DELETE CASCADE,
  document json NOT NULL,     -- the text that is sent
  exact text,                 -- that text where document cannot have it
  words tsvector,             -- those of the members that have full text
  size integer NOT NULL GENERATED ALWAYS AS (octet_length(document::text)) STORED -- read without the document
);
CREATE INDEX "book_created_at" ON "book" (owner, created_at, id);
CREATE INDEX "book_updated_at" ON "book" (owner, updated_at, id);
CREATE INDEX "book_owner" ON "book" (owner, id);
CREATE TRIGGER waymark_removed AFTER DELETE ON "book" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION waymark_removed('book');
INSERT INTO waymark_collections VALUES ('book', 0, 0, NULL)
  ON CONFLICT (name) DO UPDATE SET full_text = NULL;
CREATE TABLE "page" (
  id bigint PRIMARY KEY,
  revision bigint NOT NULL,
  created_at bigint NOT NULL, -- milliseconds since the epoch
  updated_at bigint NOT NULL,
  owner bigint NOT NULL REFERENCES "book" (id) ON DELETE CASCADE,
  document json NOT NULL,     -- the text that is sent
  exact text,                 -- that text where document cannot have it
  words tsvector,             -- those of the members that have full text
  size integer NOT NULL GENERATED ALWAYS AS (octet_length(document::text)) STORED -- read without the document
);
CREATE INDEX "page_created_at" ON "page" (owner, created_at, id);
CREATE INDEX "page_updated_at" ON "page" (owner, updated_at, id);
CREATE INDEX "page_owner" ON "page" (owner, id);
CREATE TRIGGER waymark_removed AFTER DELETE ON "page" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION waymark_removed('page');
INSERT INTO waymark_collections VALUES ('page', 0, 0, NULL)
  ON CONFLICT (name) DO UPDATE SET full_text = NULL;

UPDATE waymark_layout SET version = 1;
UPDATE waymark_collections SET full_text = '[1,"name"]' WHERE name = 'person';

INSERT INTO person (id, revision, created_at, updated_at, document, exact, words) VALUES
  (1, 5, 0, 1000, '{"id":1,"name":"Zoë Müller","email":"Zoe@Example.org","height":1.5,"identifier":"A2","createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:01.000Z"}', NULL, array_to_tsvector('{zoe,muller}')),
  (2, 2, 0, 0, '{"id":2,"name":"Ada \ufffd0000","identifier":"A1","seen":"2026-06-15T14:00:00+02:00","createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}', '{"id":2,"name":"Ada \u0000","identifier":"A1","seen":"2026-06-15T14:00:00+02:00","createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}', array_to_tsvector('{ada}')),
  (3, 3, 0, 0, '{"id":3,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}', NULL, array_to_tsvector('{}')),
  (4, 4, 0, 0, '{"id":4,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}', NULL, array_to_tsvector('{}'));
INSERT INTO book (id, revision, created_at, updated_at, owner, document) VALUES
  (1, 1, 0, 0, 1, '{"id":1,"personId":1,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}'),
  (2, 2, 0, 0, 2, '{"id":2,"personId":2,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}'),
  (3, 3, 0, 0, 4, '{"id":3,"personId":4,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}');
INSERT INTO page (id, revision, created_at, updated_at, owner, document) VALUES
  (1, 1, 0, 0, 1, '{"id":1,"bookId":1,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}');
UPDATE waymark_collections SET revision = 5, last_id = 4 WHERE name = 'person';
UPDATE waymark_collections SET revision = 3, last_id = 3 WHERE name = 'book';
UPDATE waymark_collections SET revision = 1, last_id = 1 WHERE name = 'page';
DELETE FROM person WHERE id = 4; -- which the triggers count, and what goes with it
INSERT INTO waymark_keys VALUES ('person', 0, 'k1', 'f1', 3, 3, 0, '{"id":3,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}');
