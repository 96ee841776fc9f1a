export { type CsvDecoderOptions, csvDecoder } from "./bulk/csv-decoder.ts";
export type { ListDecoder, ListedValue, ListReading } from "./bulk/list-decoder.ts";
export { ndjsonDecoder } from "./bulk/ndjson-decoder.ts";
export { type CollectionHandlers, collection } from "./collection.ts";
export type { CollectionOptions, ItemRequest } from "./collection-settings.ts";
export type { CollectionDefinition, Database, DatabaseOptions, DatabaseState, Ownership } from "./database.ts";
export { jsonPatchType, mergePatchType } from "./handlers/amend-record.ts";
export type { CollectionOwner } from "./handlers/record-scope.ts";
export { displayAddress, openDatabase, openSnapshot } from "./open-database.ts";
export { type CollectionProblemName, collectionProblemTypes } from "./problem-types.ts";
export type {
  ItemOptions,
  ItemRepresentation,
  ListOptions,
  ListRepresentation,
  Representation,
} from "./representation.ts";
export { type CsvRepresentationOptions, csvRepresentation } from "./representations/csv-representation.ts";
export { unguardFormula } from "./representations/formula-guard.ts";
export { type JsonLdRepresentationOptions, jsonLdRepresentation } from "./representations/json-ld-representation.ts";
export { jsonRepresentation } from "./representations/json-representation.ts";
export { type ListSyntax, listText } from "./representations/list-text.ts";
export { ndjsonRepresentation } from "./representations/ndjson-representation.ts";
export { type XmlRepresentationOptions, xmlRepresentation } from "./representations/xml-representation.ts";
export {
  type Comparison,
  type MemberFilter,
  type MemberType,
  type MemberValue,
  type SelectableMember,
  type Selection,
  type SortKey,
  storeMembers,
} from "./selection.ts";
export {
  type LoadOptions,
  type LoadProgress,
  LoadRefused,
  type Snapshot,
  type SnapshotCounters,
  type SnapshotKey,
  type SnapshotRange,
  type SnapshotRecord,
} from "./snapshot.ts";
export {
  type BulkConflict,
  type BulkCreation,
  type BulkOptions,
  type Creation,
  type CreationOptions,
  type Document,
  type Idempotency,
  type ReadOptions,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
  StoreOpenError,
  StoreOutcomeUnknown,
  StoreReadOnly,
  StoreReadTimeout,
  StoreUnavailable,
} from "./store.ts";
export { isPostgresAddress } from "./stores/postgres/postgres-address.ts";
export { openPostgresDatabase, type PostgresDatabaseOptions } from "./stores/postgres/postgres-database.ts";
export { type BackupOptions, backupSqliteFile } from "./stores/sqlite/sqlite-backup.ts";
export { openSqliteDatabase, type SqliteDatabaseOptions } from "./stores/sqlite/sqlite-database.ts";
export type { SqliteSnapshotOptions } from "./stores/sqlite/sqlite-snapshot.ts";
export { toWords } from "./stores/words.ts";
export { type XmlDecoderOptions, xmlDecoder } from "./xml/xml-decoder.ts";
