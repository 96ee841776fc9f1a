import type { CollectionDefinition } from "../../database.ts";
import { filledColumns } from "./postgres-columns.ts";

/** What the table of a collection is made for, as it is noted beside the counters of the collection. */
export interface TableForm {
  /** The collection that owns the records. */
  readonly owner: string | null;
  /** What the columns are filled with, by their names. */
  readonly columns: Readonly<Record<string, string>>;
}

/** The form that a definition asks for, as text. Two of one form are the same text. */
export function tableForm(definition: CollectionDefinition): string {
  const columns = filledColumns(definition).map(({ name, content }) => [name, content]);
  return toText({ owner: definition.owner?.collection ?? null, columns: Object.fromEntries(columns) });
}

/** The form of a table whose columns are still to be filled, which no program stores records in. */
export const unfilledForm = ({ owner }: CollectionDefinition): string =>
  toText({ owner: owner?.collection ?? null, columns: {} });

const toText = (form: TableForm): string => JSON.stringify(form);
