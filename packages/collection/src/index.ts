export {
  type CollectionHandlers,
  type CollectionOptions,
  collection,
  type ItemRequest,
  mergePatchType,
} from "./collection.ts";
export { type CollectionProblemName, collectionProblemTypes } from "./problem-types.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";
export {
  type Creation,
  type Document,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
  StoreOpenError,
  StoreUnavailable,
} from "./store.ts";
export { type XmlDecoderOptions, xmlDecoder } from "./xml-decoder.ts";
