export { type CollectionHandlers, collection } from "./collection.ts";
export type {
  CollectionDefinition,
  Database,
  DatabaseFigures,
  DatabaseOptions,
  DatabaseState,
  PostgresDatabaseOptions,
} from "./database.ts";
export { csvRepresentation, unguardFormula } from "./formats/csv/csv.ts";
export { csvDecoder } from "./formats/csv/csv-decoder.ts";
export { excelCsvRepresentation } from "./formats/csv/excel-csv.ts";
export { jsonRepresentation } from "./formats/json/json.ts";
export { jsonArrayDecoder } from "./formats/json/json-array.ts";
export { jsonLdRepresentation } from "./formats/json/json-ld.ts";
export { ndjsonDecoder, ndjsonRepresentation } from "./formats/json/ndjson.ts";
export { xmlRepresentation } from "./formats/xml/xml.ts";
export { xmlDecoder } from "./formats/xml/xml-decoder.ts";
export type { Visibility } from "./layers/visibility.ts";
export type { BulkLimits, ListLimits } from "./limits.ts";
export { type RecordSchema, recordSchema } from "./members/record-schema.ts";
export type { MemberTable, MemberUse, RecordOf } from "./members/table.ts";
export { openDatabase, openSnapshot } from "./open-database.ts";
export type { CollectionOptions } from "./options.ts";
export { collectionProblemTypes } from "./problem-types.ts";
export type { ItemRepresentation, ListRepresentation, Representation } from "./representation.ts";
export type { CollectionRoutesOptions } from "./routes.ts";
export {
  StoreCursorGone,
  StoreCursorInvalid,
  StoreDamaged,
  StoreHistoryLost,
  StoreNotEmpty,
  StoreOpenError,
  StoreOutcomeUnknown,
  StoreReadOnly,
  StoreReadTimeout,
  StoreUnavailable,
} from "./stores/contract/errors.ts";
export type { DatabaseObserver, FeedHolder } from "./stores/contract/observer.ts";
export type { MemberFilter, MemberType, MemberValue, Selection, SortKey } from "./stores/contract/selection.ts";
export { RestoreError, type RestoreOptions, type Snapshot, type SnapshotRecord } from "./stores/contract/snapshot.ts";
export {
  type BulkCreation,
  type ChangeBatch,
  type ChangesOptions,
  type Creation,
  type CreationOptions,
  type Document,
  type FirstBatch,
  type Idempotency,
  type ListChange,
  parseRecord,
  type ReadOptions,
  type RecordBatch,
  type RecordChange,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  type StoreOwner,
  type Transaction,
} from "./stores/contract/store.ts";
export { openPostgresDatabase } from "./stores/postgres/kind.ts";
export { backupSqliteFile } from "./stores/sqlite/backup.ts";
export { openSqliteDatabase, type SqliteDatabaseOptions } from "./stores/sqlite/database.ts";
export { toWords } from "./stores/table/words.ts";
