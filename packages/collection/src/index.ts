export { jsonPatchType, mergePatchType } from "./amend-record.ts";
export { type CsvDecoderOptions, csvDecoder } from "./bulk/csv-decoder.ts";
export type { ListDecoder, ListedValue, ListReading } from "./bulk/list-decoder.ts";
export { ndjsonDecoder } from "./bulk/ndjson-decoder.ts";
export { type CollectionHandlers, collection } from "./collection.ts";
export type { CollectionOptions, ItemRequest } from "./collection-settings.ts";
export { type CsvRepresentationOptions, csvRepresentation } from "./csv-representation.ts";
export type { CollectionDefinition, Database, DatabaseOptions, Ownership } from "./database.ts";
export { unguardFormula } from "./formula-guard.ts";
export { type JsonLdRepresentationOptions, jsonLdRepresentation } from "./json-ld-representation.ts";
export { jsonRepresentation } from "./json-representation.ts";
export { type ListSyntax, listText } from "./list-text.ts";
export type { LoadOptions, LoadProgress } from "./load-snapshot.ts";
export { ndjsonRepresentation } from "./ndjson-representation.ts";
export { displayAddress, openDatabase, openSnapshot } from "./open-database.ts";
export { isPostgresAddress } from "./postgres-address.ts";
export { openPostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.ts";
export { type CollectionProblemName, collectionProblemTypes } from "./problem-types.ts";
export type { CollectionOwner } from "./record-scope.ts";
export type { ItemRepresentation, ListOptions, ListRepresentation, Representation } from "./representation.ts";
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
  LoadRefused,
  type Snapshot,
  type SnapshotCounters,
  type SnapshotKey,
  type SnapshotRange,
  type SnapshotRecord,
} from "./snapshot.ts";
export { type BackupOptions, backupSqliteFile } from "./sqlite-backup.ts";
export { openSqliteDatabase, type SqliteDatabaseOptions } from "./sqlite-database.ts";
export type { SqliteSnapshotOptions } from "./sqlite-snapshot.ts";
export {
  type BulkConflict,
  type BulkCreation,
  type BulkOptions,
  type Creation,
  type CreationOptions,
  type Document,
  type Idempotency,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
  StoreOpenError,
  StoreOutcomeUnknown,
  StoreUnavailable,
} from "./store.ts";
export { toWords } from "./words.ts";
export { type XmlDecoderOptions, xmlDecoder } from "./xml-decoder.ts";
export { type XmlRepresentationOptions, xmlRepresentation } from "./xml-representation.ts";
