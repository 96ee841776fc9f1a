import { FileNameError } from "@waymark/collection/internal";

/** Returns in words why the system does not read or write a file; undefined for an error that is not of the system. */
export function fileFault(error: unknown): string | undefined {
  if (error instanceof FileNameError) return error.message;
  // Errors of databases and streams have a code, too, but no call of the system.
  const isOfSystem = error instanceof Error && "syscall" in error && "code" in error;
  const code = isOfSystem ? String(error.code) : undefined;
  return code === undefined ? undefined : (fileFaults[code] ?? code);
}

const fileFaults: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission to do that",
  EFBIG: "it would be larger than the system allows",
  EISDIR: "it is a directory",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of its path is not a directory",
  EPERM: "this user has no permission to do that",
  EROFS: "the file system is read-only",
};

/** As `fileFault` for a file that is to be made: what does not exist is then its directory. */
export function newFileFault(error: unknown): string | undefined {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  return isMissing ? "its directory does not exist" : fileFault(error);
}
