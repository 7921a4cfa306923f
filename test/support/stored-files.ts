// Stored files of all four kinds with their rows, in a data folder with an account: images, uploads, kept answers, kept responses.
import type { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FILE_FOLDERS } from '../../src/app/process/files/stores.ts'
import { randomFrom } from '../money/ledger/random.ts'

/** Contents by path, such as `images/1/…`. */
export type Stored = Map<string, Uint8Array>

/** Adds this number of files of each kind, with random bytes and sizes. @param db the folder's database, with account 1 and its key 1 */
export function storeFiles(db: Database, folder: string, count: number, seed = 1): Stored {
  const random = randomFrom(seed)
  const stored: Stored = new Map()
  const add = (path: string) => {
    const content = Uint8Array.from({ length: 1 + random.below(9_000) }, () => random.below(256))
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
    stored.set(path, content)
    return { bytes: content.length, sha256: new Bun.CryptoHasher('sha256').update(content).digest('hex') }
  }
  const hold_id = 1_000 * seed
  db.transaction(() => {
    // The hold of the call that generated the images.
    db.run(
      `INSERT INTO holds (id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms)
       VALUES (?, 1, 1, 'r', 0, 'expired', 0, 0)`,
      [hold_id],
    )
    for (let at = 0; at < count; at += 1) {
      const uuid = crypto.randomUUID()
      const image = add(`images/1/${uuid}.png`)
      db.run(
        `INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, file_key, mime, width, height, bytes, sha256, created_at_ms)
         VALUES (?, 1, ?, ?, 'generation', 'stored', 'm', 'p', '[]', ?, 'image/png', 1, 1, ?, ?, 0)`,
        [uuid, hold_id, at, `1/${uuid}.png`, image.bytes, image.sha256],
      )
      const key = `files/1/${uuid}_a.png`
      const upload = add(key)
      db.run(
        `INSERT INTO files (key, account_id, name, state, mime, bytes, sha256, width, height, created_at_ms)
         VALUES (?, 1, 'a.png', 'stored', 'image/png', ?, ?, 1, 1, 0)`,
        [key, upload.bytes, upload.sha256],
      )
      const answer = add(`answers/${uuid}`)
      db.run(
        `INSERT INTO idempotency_keys (account_id, key, request_sha256, request_id, after_hold_id, status, headers, body_file, created_at_ms, kept_bytes)
         VALUES (1, ?, zeroblob(32), ?, 0, 200, '{}', ?, 0, ?)`,
        [uuid, uuid, uuid, answer.bytes + 40],
      )
      const response = add(`responses/${uuid}`)
      db.run(
        `INSERT INTO responses (account_id, response_id, body_file, kept_bytes, chain_bytes, chain_length, created_at_ms)
         VALUES (1, ?, ?, ?, ?, 1, 0)`,
        [`resp_${uuid}`, uuid, response.bytes, response.bytes],
      )
    }
  })()
  return stored
}

/** The stored files of a folder. */
export function storedIn(folder: string): Stored {
  const paths = FILE_FOLDERS.flatMap((name) => {
    const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  })
  return new Map(paths.map((path) => [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))]))
}

/** The files in order and as text, for comparisons. */
export const sortedAsHex = (stored: Stored): string[][] =>
  Array.from(stored, ([path, content]) => [path, content.toHex()]).sort(([one = ''], [other = '']) =>
    one < other ? -1 : 1,
  )
