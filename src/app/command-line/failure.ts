// The message of a failed command: the failure and the fix.

import { SQLiteError } from 'bun:sqlite'
import { GatewayError } from '../../domain/errors.ts'
import { StorageFailure } from '../../domain/storage-failure.ts'
import { fullDiskText } from '../../store/disk-room.ts'
import { capital } from '../../utilities/capital.ts'
import { messageOf } from '../../utilities/thrown.ts'

/** By prefix of SQLite's error name; the first match applies. */
const DATABASE_FAILURES: readonly (readonly [code: string, advice: string])[] = [
  [
    'SQLITE_BUSY',
    'The database is locked by another process. Try again; if it stays locked, end that process.',
  ],
  ['SQLITE_READONLY', 'The database cannot be written: check the owner and permissions of the data folder.'],
  ['SQLITE_CANTOPEN', 'The database cannot be opened: check the owner and permissions of the data folder.'],
  ['SQLITE_IOERR', 'The database cannot be read or written: check that it is a file, and check the disk.'],
  ['SQLITE_FULL', 'The disk is full: free some space and try again. Nothing was changed.'],
  ['SQLITE_NOTADB', 'The file is not a database of Tollgate.'],
  ['SQLITE_CORRUPT', 'The database is damaged. Stop the gateway, keep a copy, and restore a backup.'],
]

const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'file or folder not found',
  EACCES: 'permission denied: check its owner, or run this as the user that runs the gateway',
  EPERM: 'permission denied: check its owner, or run this as the user that runs the gateway',
  EEXIST: 'it already exists',
  ENOSPC: 'the disk is full: free some space, or name a place on another disk, and try again',
  EDQUOT:
    "this user's disk quota is used up: free some space, or name a place on another disk, and try again",
  EROFS: 'the file system is read-only: mount it writable, or name another place',
  EISDIR: 'this is a folder: name a file, or move the folder away',
  ENOTDIR: 'a part of its path is a file instead of a folder: move that file away',
  EIO: "the disk fails: see the system's log",
  EMFILE: 'too many files are open: raise the limit, such as by `ulimit -n 65536`',
  ENFILE: 'too many files are open on this machine',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links form a loop',
}

/** Adds the file's path to a system error: a read of an open file fails without it. */
export const withPath = (failure: unknown, file: string): unknown =>
  failure instanceof Error && 'syscall' in failure && !('path' in failure)
    ? Object.assign(failure, { path: file })
    : failure

/** A failure for programs: a stable code, and a message whose words may change. */
export interface Failed {
  message: string
  /** An error kind (`not_found`), the code of SQLite or the system (`SQLITE_FULL`, `EACCES`), `usage`, or `failed`. */
  code: string
}

/** @param folder as for `explain` */
export function describeFailure(thrown: unknown, folder?: string): Failed {
  const message = explain(thrown, folder)
  if (thrown instanceof GatewayError) return { message, code: thrown.code ?? thrown.kind }
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return { message, code: typeof code === 'string' ? code : 'failed' }
}

/**
 * The text for standard error, without the leading `error: `.
 * @param folder the command's data folder: if its disk is full, the text says so
 */
export function explain(thrown: unknown, folder?: string): string {
  const full = folder === undefined ? undefined : fullDiskText(thrown, folder)
  if (full !== undefined) return `${full} (${(thrown as Error).message})`
  // A failure of a bucket has its own message.
  if (thrown instanceof StorageFailure && thrown.cause instanceof GatewayError)
    return explainGateway(thrown.cause)
  if (thrown instanceof StorageFailure || thrown instanceof SQLiteError) return explainDatabase(thrown)
  if (thrown instanceof GatewayError) return explainGateway(thrown)
  if (!(thrown instanceof Error)) return String(thrown)
  const advice = 'code' in thrown ? FILE_FAILURES[String(thrown.code)] : undefined
  const path = 'path' in thrown ? String(thrown.path) : undefined
  if (advice === undefined) return thrown.message
  // A write to an open file fails without its path.
  return path === undefined ? `${capital(advice)}. (${thrown.message})` : `${path}: ${advice}.`
}

function explainDatabase({ code = 'SQLite', message }: StorageFailure | SQLiteError): string {
  const known = DATABASE_FAILURES.find(([prefix]) => code.startsWith(prefix))
  const detail = `${code}: ${message}`
  return known ? `${known[1]} (${detail})` : `The database failed (${detail}).`
}

/** Includes the cause, which the operator may see, unlike callers of the API. */
function explainGateway({ message, cause }: GatewayError): string {
  return cause === undefined ? message : `${message} (${messageOf(cause)})`
}
