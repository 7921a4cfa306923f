// Unpacking and audit of an archive in a folder, for a restore and for a trial restore.
import type { Database } from 'bun:sqlite'
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  describeFindings,
  type FullAudit,
  fullAudit,
  type OnAudit,
} from '../../../src/app/process/full-audit.ts'
import { check } from '../../../src/app/process/snapshot.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import { foldersIn } from '../../../src/library/library.ts'
import { createFileStore } from '../../../src/media/store.ts'
import { RESPONSES_FOLDER } from '../../../src/responses/store.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { flush } from '../../../src/store/engines/sqlite/copy.ts'
import { fileIntegrity } from '../../../src/store/engines/sqlite/integrity.ts'
import { MIGRATIONS } from '../../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { closing } from '../../../src/utilities/at-end.ts'
import { type ArchiveKeys, decrypted, isEncrypted } from '../archive/encryption.ts'
import type { Manifest } from '../archive/manifest.ts'
import { unpackArchive } from '../archive/unpack.ts'
import { roomIn } from '../archive/unpack-room.ts'
import { endLinks } from './ended-links.ts'

export interface Unpacked {
  manifest: Manifest
  is_encrypted: boolean
  audit: FullAudit
}

export interface UnpackOptions {
  /** An empty folder that no other process uses. */
  folder: string
  /** The name of the archive in messages. */
  archive: string
  keys: ArchiveKeys
  /** Undefined for no limit but the free disk space minus a reserve. */
  max_bytes?: number | undefined
  onAudit?: OnAudit | undefined
  /** The actor of the restore, for the restored audit log; undefined in a trial restore. */
  by?: ActionContext | undefined
}

/**
 * Unpacks an archive, migrates its database, ends its sessions and links, and audits everything.
 *
 * @throws GatewayError unprocessable if the archive is damaged, cannot be decrypted, needs too much space, or does not pass the
 * audit; files that the manifest names as missing are ignored
 */
export async function unpackAndAudit(
  archived: AsyncIterable<Uint8Array>,
  { folder, archive, keys, max_bytes, onAudit, by }: UnpackOptions,
): Promise<Unpacked> {
  const { first, all } = await peek(archived)
  if (isDatabase(first))
    throw unprocessable(
      `${archive} is a copy of only the database, not an archive. \`tollgate restore\` checks it and restores it.`,
    )
  const is_encrypted = isEncrypted(first)
  const manifest = await unpackArchive(is_encrypted ? await decrypted(all, keys, archive) : all, {
    folder,
    archive,
    known_schema_version: MIGRATIONS.length,
    room: roomIn({ folder, archive, max_bytes }),
  })
  const audit = await auditUnpacked({ folder, archive, onAudit, by }, manifest)
  syncFolder(folder)
  return { manifest, is_encrypted, audit }
}

async function auditUnpacked(
  { folder, archive, onAudit, by }: Pick<UnpackOptions, 'folder' | 'archive' | 'onAudit' | 'by'>,
  manifest: Manifest,
): Promise<FullAudit> {
  const path = join(folder, 'tollgate.db')
  using db = closing(openDatabase(path, { before_migration: 'nothing' }))
  await check(db, archive)
  const rows = dbOver(db)
  await endLinks(rows)
  const responses = createFileStore(join(folder, RESPONSES_FOLDER))
  const audit = await fullAudit({
    db: rows,
    integrity: fileIntegrity(db),
    ...foldersIn(folder),
    responses,
    onAudit,
  })
  const findings = unexpected(db, audit, manifest)
  if (findings.length > 0)
    throw unprocessable(`${archive} does not pass the audit.\n${describeFindings({ findings })}`)
  if (by) await rows.begin((tx) => recordAction(tx, { action: 'backup.restored', subject: archive }), { by })
  // Only the main file is moved, and closing does not merge the write-ahead log while prepared queries exist.
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  return audit
}

/** Filters out findings about files that were already missing when the backup was made. */
function unexpected(db: Database, { findings, files }: FullAudit, { missing }: Manifest) {
  if (findings.length === 0 || missing.length === 0) return findings
  const known = new Set(missing)
  const subjects = new Set(files.filter(({ path }) => known.has(path)).map(({ path, row }) => row ?? path))
  for (const path of missing) {
    const file = path.startsWith('responses/') ? path.slice('responses/'.length) : ''
    const row = db
      .query<{ response_id: string }, [string]>('SELECT response_id FROM responses WHERE body_file = ?')
      .get(file)
    if (row) subjects.add(`response ${row.response_id}`)
    const [folder, account] = path.split('/')
    // A missing file also changes the sum of its account's files.
    if (folder === 'files') subjects.add(`account ${account}`)
  }
  return findings.filter(({ invariant, subject }) => !(OF_FILES.includes(invariant) && subjects.has(subject)))
}

const OF_FILES: readonly string[] = [
  'stored_row_has_its_file',
  'used_quota_is_sum_of_files',
  'kept_response_has_its_content',
]

/** Syncs all files and folders. If run by root, gives them to the owner of the parent folder. */
function syncFolder(folder: string): void {
  const owner = process.geteuid?.() === 0 ? statSync(join(folder, '..')) : undefined
  const visit = (path: string): void => {
    if (owner) chownSync(path, owner.uid, owner.gid)
    const is_folder = statSync(path).isDirectory()
    if (is_folder) for (const name of readdirSync(path)) visit(join(path, name))
    else chmodSync(path, 0o600)
    flush(path)
  }
  visit(folder)
}

/** Whether the bytes begin with the header of an SQLite file (https://sqlite.org/fileformat.html). */
export const isDatabase = (first: Uint8Array): boolean =>
  Buffer.from(first).toString('latin1').startsWith('SQLite format 3\0')

/** Reads the first bytes of an archive. @returns them, and a stream of all bytes from the start */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ first: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const blocks: Uint8Array[] = []
  let length = 0
  while (length < MIN_PEEKED_BYTES) {
    const { done, value } = await iterator.next()
    if (done) break
    blocks.push(value)
    length += value.length
  }
  async function* all() {
    try {
      yield* blocks
      for (;;) {
        const { done, value } = await iterator.next()
        if (done) return
        yield value
      }
    } finally {
      await iterator.return?.()
    }
  }
  return { first: Buffer.concat(blocks), all: all() }
}

const MIN_PEEKED_BYTES = 32
