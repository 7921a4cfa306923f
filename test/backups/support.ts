// Commands of backups as processes, and the comparison of a restored folder with its original.
import type { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { makeBackup } from '../../plugins/backups/making/make.ts'
import { plugins } from '../../plugins/index.ts'
import { run } from '../../src/app/commands/program.ts'
import { checksOf, commandsOf, tablesOf } from '../../src/app/plugins.ts'
import { dataPaths } from '../../src/app/process/data-paths.ts'
import type { Engine } from '../../src/app/process/engine/engine.ts'
import { sqliteEngine } from '../../src/app/process/engine/sqlite.ts'
import { type FileStores, fileStoresOf } from '../../src/app/process/files/stores.ts'
import { simulatorOf } from '../../src/app/process/simulator.ts'
import type { Db } from '../../src/store/db.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { eventually } from '../support/eventually.ts'
import { commandOf } from '../support/programs.ts'

export interface Ended {
  status: number
  out: string
  err: string
}

/** Runs a command in a process of its own. */
export async function tollgate(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = Bun.spawn([...commandOf('gateway'), ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, ...env },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { status: await child.exited, out, err }
}

/** Runs a command that must be refused. @returns its errors */
export async function refusalOf(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { status, out, err } = await tollgate(args, env)
  if (status !== 1) throw new Error(`tollgate ${args.join(' ')}: ${status} ${out}${err}`)
  return err
}

/** Runs a command that must succeed. @returns its answer */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
export async function answerOf(args: readonly string[], env: Record<string, string> = {}): Promise<any> {
  const { status, out, err } = await tollgate([...args, '--json'], env)
  if (status !== 0) throw new Error(`tollgate ${args.join(' ')}: ${err}`)
  return JSON.parse(out)
}

/**
 * Runs a command in this process, in a tenth of the CPU; a gateway process that serves the folder is another one all the same. The connection
 * may stay open for a while, and would be in the way of a restore.
 */
export async function endedHere(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []]
  const status = await run(args, {
    terminal: { out: (text) => void out.push(text), err: (text) => void err.push(text), columns: undefined },
    env: { ...process.env, ...env },
    now: Date.now,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    network: fetch,
    simulator: simulatorOf(plugins),
    commands: commandsOf(plugins),
    tables: () => tablesOf(plugins),
    checks: checksOf(plugins),
    startGateway: () => Promise.reject(new Error('not in this process')),
  })
  return { status, out: out.join('\n'), err: err.join('\n') }
}

/** Runs a command in this process that must be refused. @returns its errors */
export async function refusalHere(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { status, out, err } = await endedHere(args, env)
  if (status !== 1) throw new Error(`tollgate ${args.join(' ')}: ${status} ${out}${err}`)
  return err
}

/** Runs a command that must succeed. @returns its answer */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
export async function answerHere(args: readonly string[], env: Record<string, string> = {}): Promise<any> {
  const { status, out, err } = await endedHere([...args, '--json'], env)
  if (status !== 0) throw new Error(`tollgate ${args.join(' ')}: ${err}`)
  return JSON.parse(out)
}

/**
 * A file as a pipe that gives its first bytes, and the others on `go`: until then its reader has begun and cannot end.
 *
 * @param path of the pipe
 */
export function heldFile(path: string, file: string, bytes: number) {
  Bun.spawnSync(['mkfifo', path])
  const script = `
    const { openSync, readFileSync, readSync, writeSync } = require('node:fs')
    const [pipe, all] = [openSync(${JSON.stringify(path)}, 'r+'), readFileSync(${JSON.stringify(file)})]
    const write = (part) => { for (let at = 0; at < part.length; ) at += writeSync(pipe, part, at) }
    write(all.subarray(0, ${bytes}))
    readSync(0, Buffer.alloc(1))
    write(all.subarray(${bytes}))`
  const writer = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'ignore' })
  return {
    path,
    async go() {
      await writer.stdin.write('.')
      await writer.stdin.end()
    },
    [Symbol.dispose]: () => writer.kill('SIGKILL'),
  }
}

/** A kept answer of the first account whose file is a pipe: a command that reads all of the account waits there until `go`. */
export function heldAnswer(data_folder: string) {
  const path = join(data_folder, 'answers/held')
  mkdirSync(dirname(path), { recursive: true })
  Bun.spawnSync(['mkfifo', path])
  const change = (sql: string) => {
    const db = openDatabase(join(data_folder, 'tollgate.db'))
    db.run(sql)
    db.close()
  }
  change(`INSERT INTO idempotency_keys (account_id, key, request_sha256, request_id, after_hold_id, status, headers, body_file,
            created_at_ms, kept_bytes, replays) VALUES (1, 'held', zeroblob(32), 'req_held', 0, 200, '[]', 'held', 0, 0, 0)`)
  return {
    /** Lets its reader go, if there is one yet. */
    tryGo: () => letReaderGo(path),
    go: () => eventually('the held answer is read', () => letReaderGo(path)),
    [Symbol.dispose]() {
      change(`DELETE FROM idempotency_keys WHERE key = 'held'`)
      rmSync(path)
    },
  }
}

/** Opens a pipe to write, so that its reader's opening succeeds, and closes it: an empty file. @returns false while nobody reads it */
function letReaderGo(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (thrown) {
    // fifo(7): nobody has opened it to read.
    if ((thrown as NodeJS.ErrnoException).code === 'ENXIO') return false
    throw thrown
  }
}

/** The entries of an archive, in their order. */
export async function entriesIn(archive: Uint8Array): Promise<{ name: string; text: Buffer }[]> {
  const tar = extract()
  tar.end(zstdDecompressSync(archive))
  return await Array.fromAsync(tar, async (entry) => ({
    name: entry.header.name,
    text: Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>)),
  }))
}

/** The key of an upload of account 1. */
export const uploadKey = (name: string): string => `files/1/0d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1_${name}.png`

/** Adds the row of an upload. */
export const addUpload = (db: Db, key: string, content: string) =>
  db.write((within) =>
    within.rows(
      `INSERT INTO files (key, account_id, name, state, mime, bytes, sha256, width, height, created_at_ms)
       VALUES ($key, 1, 'cat', 'stored', 'image/png', $bytes, $sha256, 1, 1, 0)`,
      { key, bytes: content.length, sha256: hashOf(content) },
    ),
  )

interface BackingUp {
  engine?: Engine
  stores?: FileStores
  /** Runs once the copy is made, and before more than the first files are read. */
  meanwhile?: () => unknown
}

/** Makes a backup of a folder. */
export async function backUp(
  dir: string,
  {
    engine = sqliteEngine(dir),
    stores = fileStoresOf({ files: undefined }, dir),
    meanwhile = () => {},
  }: BackingUp,
) {
  const blocks: Uint8Array[] = []
  const result = await makeBackup({
    paths: dataPaths(dir),
    engine,
    stores,
    lock: undefined,
    now_ms: 0,
    async put(content) {
      await meanwhile()
      for await (const block of content) blocks.push(block)
      return 0
    },
  })
  return { result, archive: Buffer.concat(blocks) }
}

const within = <T>(data_folder: string, read: (db: Database) => T): T => {
  const db = openDatabase(join(data_folder, 'tollgate.db'), { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** Rows that never change, by their ids. A call has the id of its hold, so that an earlier one may come later. */
const ROWS = {
  calls: 'SELECT id, account_id, cost_nanos AS nanos FROM calls',
  entries: 'SELECT id, account_id, amount_nanos AS nanos FROM entries',
}
interface Row {
  id: number
  account_id: number
  nanos: number
}

const rowsOf = (data_folder: string, table: keyof typeof ROWS): Map<number, Row> =>
  within(
    data_folder,
    (db) =>
      new Map(
        db
          .query<Row, []>(ROWS[table])
          .all()
          .map((row) => [row.id, row]),
      ),
  )

const sumOf = (rows: Iterable<Row>): number => [...rows].reduce((sum, { nanos }) => sum + nanos, 0)

/** Asserts that each row is that of the original. @returns their number */
function expectRows(restored: string, original: string, table: keyof typeof ROWS): number {
  const rows = rowsOf(restored, table)
  const all = rowsOf(original, table)
  const same = [...rows.keys()].flatMap((id) => all.get(id) ?? [])
  expect([rows.size, sumOf(rows.values())]).toEqual([same.length, sumOf(same)])
  expect([...rows.values()]).toEqual(same)
  return rows.size
}

interface Stored {
  path: string
  sha256: string | null
}

/** Asserts that a restored folder has the files that its database names, byte for byte, and the sums of its original. */
export async function expectSame(
  restored: string,
  original: string,
): Promise<{ files: number; calls: number }> {
  const calls = expectRows(restored, original, 'calls')
  expectRows(restored, original, 'entries')
  const stored = within(restored, (db) =>
    db
      .query<Stored, []>(
        `SELECT 'images/' || file_key AS path, sha256 FROM generations WHERE state = 'stored'
         UNION ALL SELECT key, sha256 FROM files WHERE state = 'stored'
         UNION ALL SELECT 'responses/' || body_file, NULL FROM responses WHERE body_file IS NOT NULL
         UNION ALL SELECT 'answers/' || body_file, NULL FROM idempotency_keys WHERE body_file IS NOT NULL`,
      )
      .all(),
  )
  for (const { path, sha256 } of stored) {
    const bytes = await Bun.file(join(restored, path)).bytes()
    if (sha256 !== null) expect([path, hashOf(bytes)]).toEqual([path, sha256])
    const before = join(original, path)
    // The original may have been deleted since.
    if (existsSync(before))
      expect([path, hashOf(await Bun.file(before).bytes())]).toEqual([path, hashOf(bytes)])
  }
  return { files: stored.length, calls }
}

export const hashOf = (bytes: Uint8Array | string): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
