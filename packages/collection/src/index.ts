export { noRoomChannel, temporaryFileFault } from "./bulk/spool.ts";
export { openUnnamedFile, piecesOf } from "./bulk/unnamed-file.ts";
export { ChangeNote, changeNote } from "./change-note.ts";
export { type CollectionHandlers, collection, type FollowerFigures } from "./collection.ts";
export type {
  CollectionDefinition,
  Database,
  DatabaseFigures,
  DatabaseOptions,
  DatabaseState,
  Ownership,
  PostgresDatabaseOptions,
} from "./database.ts";
export type { BackupOptions, DatabaseKind } from "./database-kind.ts";
export { type CsvRepresentationOptions, csvRepresentation, unguardFormula } from "./formats/csv.ts";
export { type CsvDecoderOptions, csvDecoder } from "./formats/csv-decoder.ts";
export { type ExcelCsvRepresentationOptions, excelCsvRepresentation, listSeparator } from "./formats/excel-csv.ts";
export { jsonRepresentation } from "./formats/json.ts";
export { jsonArrayDecoder } from "./formats/json-array.ts";
export { type JsonLdRepresentationOptions, jsonLdRepresentation } from "./formats/json-ld.ts";
export { parseListCell } from "./formats/list-cell.ts";
export type { ListDecoder, ListedValue, ListPlace, ListReading } from "./formats/list-decoder.ts";
export { listText } from "./formats/list-text.ts";
export { ndjsonDecoder, ndjsonRepresentation } from "./formats/ndjson.ts";
export { type XmlRepresentationOptions, xmlRepresentation } from "./formats/xml.ts";
export { type XmlDecoderOptions, xmlDecoder } from "./formats/xml-decoder.ts";
export { jsonPatchType, mergePatchType } from "./handlers/change.ts";
export { type BulkLimits, type BulkSettings, type ListLimits, toBulkSettings } from "./limits.ts";
export {
  absentChoices,
  type ChangedDocument,
  type MatchedRecords,
  type MatchRules,
  onMatchChoices,
} from "./match-rules.ts";
export { foldText } from "./members/fold.ts";
export { setMember } from "./members/json-object.ts";
export { type RecordSchema, type RecordSchemaOptions, recordSchema } from "./members/record-schema.ts";
export type { Member, MemberName, MemberPath, MemberTable, MemberUse, RecordOf } from "./members/table.ts";
export { FileNameError, FileTakenError, NewFile, type NewFileOptions } from "./new-file.ts";
export {
  databaseAddresses,
  displayAddress,
  kindOf,
  openDatabase,
  openSnapshot,
  unknownScheme,
} from "./open-database.ts";
export { type CollectionProblemName, collectionProblemTypes } from "./problem-types.ts";
export type {
  ItemOptions,
  ItemRepresentation,
  ListOptions,
  ListPage,
  ListRepresentation,
  ListSyntax,
  PageLinks,
  Representation,
} from "./representation.ts";
export type { CollectionRoutesOptions } from "./routes.ts";
export type { SetMembers } from "./set-members.ts";
export type {
  CollectionOptions,
  ItemRequest,
  RecordNouns,
} from "./settings.ts";
export { TurnShare } from "./shares/turn-share.ts";
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
export type { DatabaseObserver, FeedHolder, StoreCommit, StoreOperation } from "./stores/contract/observer.ts";
export {
  type Comparison,
  type MemberFilter,
  type MemberType,
  type MemberValue,
  type SearchedMember,
  type SelectableMember,
  type Selection,
  type SortKey,
  storeMembers,
} from "./stores/contract/selection.ts";
export {
  RestoreError,
  type RestoreOptions,
  type RestoreProgress,
  type Snapshot,
  type SnapshotCounters,
  type SnapshotKey,
  type SnapshotOptions,
  type SnapshotRange,
  type SnapshotRecord,
  type SnapshotRemoval,
} from "./stores/contract/snapshot.ts";
export {
  type BulkChangeOptions,
  type BulkConflict,
  type BulkCreation,
  type BulkOptions,
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
  type RecordValue,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  type StoreOwner,
} from "./stores/contract/store.ts";
export { openPostgresDatabase } from "./stores/postgres/kind.ts";
export { backupSqliteFile } from "./stores/sqlite/backup.ts";
export { isReadableByOthers } from "./stores/sqlite/connections/file.ts";
export { openSqliteDatabase, type SqliteDatabaseOptions } from "./stores/sqlite/database.ts";
export { toWords } from "./stores/table/words.ts";
export type { Visibility } from "./visibility.ts";
