import {
  type Database,
  type DatabaseOptions,
  type MessageLink,
  openSqliteDatabase,
  SharedWriter,
} from "../src/index.ts";

/** A program that changes a file through a shared writer: here in the same process, over a channel of messages. */
export interface Member extends AsyncDisposable {
  readonly database: Database;
}

export async function openMember(writer: SharedWriter, file: string, options: DatabaseOptions): Promise<Member> {
  const { link, leave } = joinWriter(writer);
  const database = await openSqliteDatabase(file, { ...options, writer: link });
  const close = async (): Promise<void> => {
    await database.close();
    leave();
  };
  return { database: { ...database, close }, [Symbol.asyncDispose]: close };
}

/** Opens a file by a writer of its own, which is closed with it. */
export async function openOnlyMember(file: string, options: DatabaseOptions): Promise<Database> {
  const writer = new SharedWriter({ file, collections: options.collections });
  const { database } = await openMember(writer, file, options);
  return {
    ...database,
    async close() {
      await database.close();
      await writer.close();
    },
  };
}

/** A link to the writer, and what ends it: as far as the writer can know, in the midst of what it was asked for. */
export function joinWriter(writer: SharedWriter): { readonly link: MessageLink; readonly leave: () => void } {
  const { port1, port2 } = new MessageChannel();
  const [link, other] = [port1, port2].map(
    (port): MessageLink => ({
      send: (message) => port.postMessage(message),
      onMessage: (receive) => {
        port.onmessage = ({ data }) => receive(data);
      },
    }),
  ) as [MessageLink, MessageLink]; // of two ports
  const leaveWriter = writer.join(other);
  return {
    link,
    leave() {
      leaveWriter();
      port1.close();
    },
  };
}
