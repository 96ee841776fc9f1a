import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Opens a new file without a name in the system's temporary folder (`TMPDIR`), for reading and writing. The system removes it when
 * it is closed, or the process ends, however it ends.
 *
 * @throws Error of the system (rejects) when it cannot be made
 */
export async function openUnnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `collection-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

/** Yields what a file has from a position on, in pieces of 64 KiB. Each call reads for itself, and none moves where is written. */
export async function* piecesOf(file: FileHandle, start = 0): AsyncGenerator<Buffer, void, undefined> {
  for (let position = start; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceSize), 0, pieceSize, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const pieceSize = 65_536;
