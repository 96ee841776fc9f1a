import type { StoredCollection } from "../../database.ts";
import { type Selection, storeMembers } from "../contract/selection.ts";
import type { FirstBatch } from "../contract/store.ts";
import type { TransactedEngine } from "../open-transaction.ts";
import { batchOfFound } from "../reading/found-list.ts";
import type { OutcomeOf, Write } from "../writing/write.ts";
import type { CommitterChannel } from "./writing/committer-channel.ts";

/** Makes the engine of a collection within a transaction of the committer, which reads there, too: so it sees its own changes. */
export function sqliteTransacted(
  channel: Pick<CommitterChannel, "ask">,
  { name, selectable }: StoredCollection,
): TransactedEngine {
  const members = [...storeMembers, ...selectable];

  const list = async (selection: Selection, owner: number | undefined): Promise<FirstBatch> => {
    const { revision, ...found } = await channel.ask("findWithin", name, selection, owner);
    const batch = batchOfFound(found, {
      selection,
      members,
      read: (ids) => channel.ask("readWithin", name, selection, owner, revision, ids),
      find: (rest) => list(rest, owner),
    });
    return { ...batch, state: `${revision}` };
  };

  return {
    async find(id, owner) {
      const row = await channel.ask("rowWithin", name, id);
      return owner === undefined || row?.owner === owner ? row?.record : undefined;
    },
    batch: list,
    count: (selection, owner, { most }) => channel.ask("countWithin", name, selection, owner, most),
    keyed: (owner, key) => channel.ask("keyedWithin", name, owner, key),
    write: <W extends Write>(write: W) =>
      channel.ask("changeWithin", { collection: name, write }) as Promise<OutcomeOf<W>>, // the outcome of this very write
    keep: (keyed) => channel.ask("keepWithin", name, keyed),
    lock: async () => undefined, // nobody else changes anything meanwhile
  };
}
