CREATE TABLE book (
    id bigint NOT NULL,
    revision bigint NOT NULL,
    tx xid8 NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    owner bigint NOT NULL,
    document text NOT NULL,
    size integer GENERATED ALWAYS AS (octet_length(document)) STORED,
    compared jsonb NOT NULL,
    words jsonb NOT NULL
);
CREATE TABLE person (
    id bigint NOT NULL,
    revision bigint NOT NULL,
    tx xid8 NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    document text NOT NULL,
    size integer GENERATED ALWAYS AS (octet_length(document)) STORED,
    compared jsonb NOT NULL,
    words jsonb NOT NULL
);
CREATE TABLE waymark_collections (
    name text NOT NULL,
    owner text,
    declared text NOT NULL
);
CREATE TABLE waymark_era (
    era text NOT NULL,
    server text
);
CREATE TABLE waymark_fills (
    collection text NOT NULL,
    rule text NOT NULL,
    keys text NOT NULL,
    since xid8,
    seen timestamp with time zone DEFAULT now() NOT NULL
);
CREATE SEQUENCE waymark_ids_book
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE SEQUENCE waymark_ids_person
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE waymark_keys (
    collection text NOT NULL,
    owner bigint NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    id bigint NOT NULL,
    revision bigint NOT NULL,
    "time" bigint NOT NULL
);
CREATE TABLE waymark_layout (
    number integer NOT NULL,
    identity text NOT NULL
);
CREATE TABLE waymark_loading (
    collection text NOT NULL,
    source text NOT NULL,
    last_id bigint NOT NULL,
    revision bigint NOT NULL
);
CREATE TABLE waymark_removals (
    collection text NOT NULL,
    id bigint NOT NULL,
    revision bigint NOT NULL,
    tx xid8 NOT NULL,
    owner bigint NOT NULL
);
CREATE SEQUENCE waymark_revisions_book
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE SEQUENCE waymark_revisions_person
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
INSERT INTO book VALUES
	(1, 1, '739', 1793534820000, 1793534820000, 1, '{"id":1,"personId":1,"title":"Notes","createdAt":"2026-11-01T12:07:00.000Z","updatedAt":"2026-11-01T12:07:00.000Z"}', DEFAULT, '{"": ["8GL3kMm1DEJEJlHQ"], "text1 title": "notes"}', '{}'),
	(3, 3, '743', 1793534940000, 1793534940000, 4, '{"id":3,"personId":4,"title":"Diary","createdAt":"2026-11-01T12:09:00.000Z","updatedAt":"2026-11-01T12:09:00.000Z"}', DEFAULT, '{"": ["8GL3kMm1DEJEJlHQ"], "text1 title": "diary"}', '{}');
INSERT INTO person VALUES
	(1, 1, '731', 1793534400000, 1793534400000, '{"id":1,"name":"Ada Lovelace","identifier":"A1","email":"Ada@example.org","height":1.65,"seen":"2026-01-02T03:04:05Z","createdAt":"2026-11-01T12:00:00.000Z","updatedAt":"2026-11-01T12:00:00.000Z"}', DEFAULT, '{"": ["pybPuSfcbqUFaxf8"], "time seen": 1767323045000, "text1 name": "ada lovelace", "text1 email": "ada@example.org", "number height": 1.65, "unique identifier": "\"A1\""}', '{"OWTeieW-Rpqdh6Id": "''ada'' ''a*'' ''ad*'' ''lovelace'' ''l*'' ''lo*'' "}'),
	(4, 4, '735', 1793534580000, 1793534580000, '{"id":4,"name":"Zoë \"Eve\" O''Neill \\ 😀","email":"eve@example.org","createdAt":"2026-11-01T12:03:00.000Z","updatedAt":"2026-11-01T12:03:00.000Z"}', DEFAULT, '{"": ["pybPuSfcbqUFaxf8"], "text1 name": "zoe \"eve\" o''neill \\ 😀", "text1 email": "eve@example.org"}', '{"OWTeieW-Rpqdh6Id": "''zoe'' ''z*'' ''zo*'' ''zo'' ''eve'' ''e*'' ''ev*'' ''o'' ''o*'' ''neill'' ''n*'' ''ne*'' ''oneill'' ''on*'' "}'),
	(100, 6, '737', 1793534700000, 1793534700000, '{"id":100,"name":"One with an id of its own","identifier":1,"createdAt":"2026-11-01T12:05:00.000Z","updatedAt":"2026-11-01T12:05:00.000Z"}', DEFAULT, '{"": ["pybPuSfcbqUFaxf8"], "text1 name": "one with an id of its own", "unique identifier": "1"}', '{"OWTeieW-Rpqdh6Id": "''one'' ''o*'' ''on*'' ''with'' ''w*'' ''wi*'' ''an'' ''a*'' ''an*'' ''id'' ''i*'' ''id*'' ''of'' ''of*'' ''its'' ''it*'' ''own'' ''ow*'' "}'),
	(101, 7, '738', 1793534760000, 1793534760000, '{"id":101,"name":"One after it","identifier":"1","createdAt":"2026-11-01T12:06:00.000Z","updatedAt":"2026-11-01T12:06:00.000Z"}', DEFAULT, '{"": ["pybPuSfcbqUFaxf8"], "text1 name": "one after it", "unique identifier": "\"1\""}', '{"OWTeieW-Rpqdh6Id": "''one'' ''o*'' ''on*'' ''after'' ''a*'' ''af*'' ''it'' ''i*'' ''it*'' "}'),
	(2, 8, '744', 1793534460000, 1793535000000, '{"id":2,"name":"Grace Brewster Hopper","identifier":"A2","createdAt":"2026-11-01T12:01:00.000Z","updatedAt":"2026-11-01T12:10:00.000Z"}', DEFAULT, '{"": ["pybPuSfcbqUFaxf8"], "text1 name": "grace brewster hopper", "unique identifier": "\"A2\""}', '{"OWTeieW-Rpqdh6Id": "''grace'' ''g*'' ''gr*'' ''brewster'' ''b*'' ''br*'' ''hopper'' ''h*'' ''ho*'' "}'),
	(102, 11, '748', 1793535060000, 1793535060000, '{"id":102,"name":"First of many","createdAt":"2026-11-01T12:11:00.000Z","updatedAt":"2026-11-01T12:11:00.000Z"}', DEFAULT, '{"": ["pybPuSfcbqUFaxf8"], "text1 name": "first of many"}', '{"OWTeieW-Rpqdh6Id": "''first'' ''f*'' ''fi*'' ''of'' ''o*'' ''of*'' ''many'' ''m*'' ''ma*'' "}'),
	(103, 12, '748', 1793535120000, 1793535120000, '{"id":103,"name":"Second of many","createdAt":"2026-11-01T12:12:00.000Z","updatedAt":"2026-11-01T12:12:00.000Z"}', DEFAULT, '{"": ["pybPuSfcbqUFaxf8"], "text1 name": "second of many"}', '{"OWTeieW-Rpqdh6Id": "''second'' ''s*'' ''se*'' ''of'' ''o*'' ''of*'' ''many'' ''m*'' ''ma*'' "}');
INSERT INTO waymark_collections VALUES
	('person', NULL, '["list text1 tags","number height","text1 email","text1 name","time seen","unique identifier","words [2,\"name\"]"]'),
	('book', 'person', '["text1 title"]');
INSERT INTO waymark_era VALUES
	('b44980f3-0576-4d85-8260-7c4f0c123841', '7714056171879663407 5 00000001');
INSERT INTO waymark_fills VALUES
	('person', 'pybPuSfcbqUFaxf8', '["list text1 tags","number height","text1 email","text1 name","time seen","unique identifier","words [2,\"name\"]"]', '725', '2026-11-30 19:57:46.748146+00'),
	('book', '8GL3kMm1DEJEJlHQ', '["text1 title"]', '725', '2026-11-30 19:57:46.748146+00');
INSERT INTO waymark_keys VALUES
	('person', 0, 'key of Ada', 'print of key of Ada', 1, 1, 1793534400000),
	('person', 0, 'key of Grace', 'print of key of Grace', 2, 2, 1793534460000),
	('person', 0, 'key of the removed one', 'print of key of the removed one', 3, 3, 1793534520000),
	('book', 1, 'key of Notes', 'print of key of Notes', 1, 1, 1793534820000);
INSERT INTO waymark_layout VALUES
	(1, '1ad028e2-2ba7-4904-9e9c-1c83acb8ebb5');
INSERT INTO waymark_removals VALUES
	('person', 3, 9, '745', 0),
	('book', 2, 4, '746', 5),
	('person', 5, 10, '746', 0);
SELECT pg_catalog.setval('waymark_ids_book', 3, true);
SELECT pg_catalog.setval('waymark_ids_person', 103, true);
SELECT pg_catalog.setval('waymark_revisions_book', 4, true);
SELECT pg_catalog.setval('waymark_revisions_person', 12, true);
ALTER TABLE ONLY book
    ADD CONSTRAINT book_pkey PRIMARY KEY (id);
ALTER TABLE ONLY person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);
ALTER TABLE ONLY waymark_collections
    ADD CONSTRAINT waymark_collections_pkey PRIMARY KEY (name);
ALTER TABLE ONLY waymark_era
    ADD CONSTRAINT waymark_era_pkey PRIMARY KEY (era);
ALTER TABLE ONLY waymark_fills
    ADD CONSTRAINT waymark_fills_pkey PRIMARY KEY (collection, rule);
ALTER TABLE ONLY waymark_keys
    ADD CONSTRAINT waymark_keys_pkey PRIMARY KEY (collection, owner, key);
ALTER TABLE ONLY waymark_layout
    ADD CONSTRAINT waymark_layout_pkey PRIMARY KEY (number);
ALTER TABLE ONLY waymark_loading
    ADD CONSTRAINT waymark_loading_pkey PRIMARY KEY (collection);
ALTER TABLE ONLY waymark_removals
    ADD CONSTRAINT waymark_removals_pkey PRIMARY KEY (collection, id);
CREATE INDEX book_changes ON book USING btree (tx, revision);
CREATE INDEX book_changes_of_owner ON book USING btree (owner, tx, revision);
CREATE INDEX book_created_at ON book USING btree (owner, created_at, id);
CREATE INDEX book_owner ON book USING btree (owner, id);
CREATE INDEX "book_text1 title" ON book USING btree (owner, "left"(((compared ->> 'text1 title'::text) COLLATE "C"), 600) NULLS FIRST, id);
CREATE INDEX book_updated_at ON book USING btree (owner, updated_at, id);
CREATE INDEX person_changes ON person USING btree (tx, revision);
CREATE INDEX person_created_at ON person USING btree (created_at, id);
CREATE INDEX "person_list text1 tags" ON person USING gin (((compared -> 'list text1 tags'::text)));
CREATE INDEX "person_number height" ON person USING btree ((((compared -> 'number height'::text))::double precision) NULLS FIRST, id);
CREATE INDEX "person_text1 email" ON person USING btree ("left"(((compared ->> 'text1 email'::text) COLLATE "C"), 600) NULLS FIRST, id);
CREATE INDEX "person_text1 name" ON person USING btree ("left"(((compared ->> 'text1 name'::text) COLLATE "C"), 600) NULLS FIRST, id);
CREATE INDEX "person_time seen" ON person USING btree ((((compared -> 'time seen'::text))::bigint) NULLS FIRST, id);
CREATE UNIQUE INDEX "person_unique identifier" ON person USING btree (((compared ->> 'unique identifier'::text)) COLLATE "C");
CREATE INDEX person_updated_at ON person USING btree (updated_at, id);
CREATE INDEX "person_words OWTeieW-Rpqdh6Id" ON person USING gin ((((words ->> 'OWTeieW-Rpqdh6Id'::text))::tsvector));
CREATE INDEX waymark_keys_time ON waymark_keys USING btree (collection, "time");
CREATE INDEX waymark_removals_owner ON waymark_removals USING btree (collection, owner, tx, revision) WHERE (owner <> 0);
CREATE INDEX waymark_removals_tx ON waymark_removals USING btree (collection, tx, revision);
ALTER TABLE ONLY book
    ADD CONSTRAINT book_owner_fkey FOREIGN KEY (owner) REFERENCES person(id);
