// What this project's packages use of one another, and nobody else should: it changes without notice.
export { noRoomChannel, openUnnamedFile, piecesOf, temporaryFileFault } from "./bulk/spool.ts";
export { ChangeNote, changeNote } from "./change-note.ts";
export type { FollowerFigures } from "./collection.ts";
export type { DatabaseKind } from "./database-kind.ts";
export { listSeparator } from "./formats/excel-csv.ts";
export { parseListCell } from "./formats/list-cell.ts";
export type { ListDecoder, ListedValue, ListPlace, ListReading } from "./formats/list-decoder.ts";
export { listText } from "./formats/list-text.ts";
export { jsonPatchType, mergePatchType } from "./handlers/change.ts";
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
export { FileNameError, FileTakenError, NewFile, type NewFileOptions } from "./new-file.ts";
export { databaseAddresses, displayAddress, kindOf, unknownScheme } from "./open-database.ts";
export type { ListOptions, ListSyntax } from "./representation.ts";
export type { RecordNouns } from "./settings.ts";
export { TurnShare } from "./shares/turn-share.ts";
export { storeMembers } from "./stores/contract/selection.ts";
export type { RestoreProgress } from "./stores/contract/snapshot.ts";
export { isReadableByOthers } from "./stores/sqlite/connections/file.ts";
