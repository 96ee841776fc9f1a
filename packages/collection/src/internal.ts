// What this project's packages use of one another, and nobody else should: it changes without notice.
export { noRoomChannel, openUnnamedFile, piecesOf, temporaryFileFault } from "./bulk/spool/spool.ts";
export type { FollowerFigures } from "./collection.ts";
export { listSeparator } from "./formats/csv/excel-csv.ts";
export { parseListCell } from "./formats/csv/list-cell.ts";
export type { ListDecoder, ListedValue, ListPlace, ListReading } from "./formats/list-decoder.ts";
export { listText } from "./formats/list-text.ts";
export { jsonPatchType, mergePatchType } from "./handlers/change.ts";
export { ChangeNote, changeNote } from "./layers/change-note.ts";
export { toBulkSettings } from "./limits.ts";
export {
  absentChoices,
  type ChangedDocument,
  type MatchedRecords,
  type MatchRules,
  onMatchChoices,
} from "./match-rules.ts";
export { foldText } from "./members/fold.ts";
export { setMember } from "./members/json-object.ts";
export type { RecordSchemaOptions } from "./members/record-schema.ts";
export type { Member } from "./members/table.ts";
export { databaseAddresses, displayAddress, kindOf, unknownScheme } from "./open-database.ts";
export type { ListOptions, ListSyntax } from "./representation.ts";
export type { RecordNouns } from "./settings.ts";
export { TurnShare } from "./shares/turn-share.ts";
export { FileNameError, FileTakenError, NewFile, type NewFileOptions } from "./stores/contract/new-file.ts";
export { storeMembers } from "./stores/contract/selection.ts";
export type { RestoreProgress } from "./stores/contract/snapshot.ts";
export type { DatabaseKind } from "./stores/database-kind.ts";
export { isReadableByOthers } from "./stores/sqlite/connections/file.ts";
