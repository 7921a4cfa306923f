// Kept answers: their lifetime, their largest size, and their files on the disk.
import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredBytes } from '../../src/domain/stored-bytes.ts'
import {
  createKeptAnswers,
  KEPT_FOR_MS,
  type KeptAnswers,
  type KeyedRequest,
} from '../../src/idempotency/kept-answers.ts'
import { keepWhole, MAX_KEPT_BYTES, startRecording } from '../../src/idempotency/recording.ts'
import { createReplayCount } from '../../src/idempotency/replays.ts'
import type { AnswerLimits } from '../../src/idempotency/room.ts'
import { createFileStore, type FileStore } from '../../src/media/store.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { MAX_ROW_BYTES } from '../../src/store/kept/content.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'

let folder: string
let connection: Database
let db: Db
let files: FileStore
let answers: KeptAnswers
let clock_ms = 1_000_000_000_000
const ROOMY: AnswerLimits = { kept_bytes: 2 ** 31, kept_bytes_per_account: 2 ** 28, keys_per_account: 1_000 }
let limits = ROOMY

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-answers-'))
  connection = memoryDatabase()
  db = dbOver(connection)
  connection.run(
    "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'one', 'active', 0, 0, 0, 0), (2, 'two', 'active', 0, 0, 0, 0)",
  )
  files = createFileStore(folder)
  limits = ROOMY
  answers = createKeptAnswers(db, files, { now: () => clock_ms, limits: () => limits, gateway_id: 1 })
})
afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

const requestOf = (key: string, account_id = 1) => ({
  account_id,
  key,
  request_sha256: Buffer.alloc(32, key),
  request_id: `req_${key}`,
})
const OK: { status: number; headers: [string, string][] } = { status: 200, headers: [['x-a', 'b']] }
const LARGE_BYTES = 100_000
const large = (account_id = 1) => answers.write(account_id, new Uint8Array(LARGE_BYTES), MAX_KEPT_BYTES)
const isUnderWay = () => false
/** Takes a key from the request that has it, if any. */
async function begin(request: KeyedRequest): Promise<void> {
  const seen = (await answers.find(request))?.request_id
  expect(await answers.begin(request, seen, isUnderWay)).toBe(true)
}
const countFiles = async () => (await Array.fromAsync(files.list())).length

describe('24 hours', () => {
  test('the sweep deletes older rows and files, and no younger ones', async () => {
    for (const key of ['old-file', 'old-row', 'old-unanswered']) await begin(requestOf(key))
    await answers.keep(requestOf('old-file'), { ...OK, body: await large() })
    await answers.keep(requestOf('old-row'), { ...OK, body: { bytes: Buffer.from('old') } })
    clock_ms += 1
    await begin(requestOf('young'))
    await answers.keep(requestOf('young'), { ...OK, body: await large() })
    clock_ms += KEPT_FOR_MS - 2
    await answers.sweep()
    expect(await countFiles()).toBe(2)
    clock_ms += 1
    await answers.sweep()
    expect(await countFiles()).toBe(1)
    expect(connection.query('SELECT key FROM idempotency_keys').values()).toEqual([['young']])
    clock_ms += 1
    await answers.sweep()
    expect(await countFiles()).toBe(0)
  })

  test('a request that takes the key of an expired one removes its file', async () => {
    await begin(requestOf('key'))
    await answers.keep(requestOf('key'), { ...OK, body: await large() })
    clock_ms += KEPT_FOR_MS
    expect(await answers.find(requestOf('key'))).toBeUndefined()
    await begin({ ...requestOf('key'), request_id: 'req_second' })
    expect(await countFiles()).toBe(0)
    expect(await answers.find(requestOf('key'))).toMatchObject({ request_id: 'req_second', status: null })
  })
})

test('the number of replays of an answer and the time of the last one are written at the end at the latest', async () => {
  for (const key of ['one', 'other']) await begin(requestOf(key))
  const replays = createReplayCount(db, { now: () => clock_ms, log: memoryLog().log })
  const count = async (key: string) => replays.count((await answers.find(requestOf(key)))?.id ?? 0)
  const counted = () =>
    connection.query('SELECT replays, replayed_at_ms FROM idempotency_keys ORDER BY id').values()
  await count('one')
  clock_ms += 5
  await count('one')
  expect(counted()).toEqual([
    [0, null],
    [0, null],
  ])
  await replays.close()
  expect(counted()).toEqual([
    [2, clock_ms],
    [0, null],
  ])
  await count('one')
  await replays.close()
  expect(counted()[0]).toEqual([3, clock_ms])
})

describe('the owner of a key', () => {
  test('is its account: another account may use the same key', async () => {
    await begin(requestOf('key', 1))
    expect(await answers.find(requestOf('key', 2))).toBeUndefined()
    await begin(requestOf('key', 2))
    await answers.forget(requestOf('key', 2))
    expect(await answers.find(requestOf('key', 1))).toBeDefined()
  })

  test('is its newest request: an older one neither keeps an answer under it nor frees it', async () => {
    await begin(requestOf('key'))
    await begin({ ...requestOf('key'), request_id: 'req_second' })
    await answers.keep(requestOf('key'), { ...OK, body: { bytes: Buffer.from('late') } })
    await answers.forget(requestOf('key'))
    expect(await answers.find(requestOf('key'))).toMatchObject({ request_id: 'req_second', status: null })
  })
})

describe('a start after a crash', () => {
  test('removes files that no row names, and interrupted writes, and nothing else', async () => {
    await begin(requestOf('key'))
    await answers.keep(requestOf('key'), { ...OK, body: await large() })
    await large()
    await Bun.write(join(folder, '.incoming', 'interrupted'), 'half')
    await answers.removeStrays()
    expect(await countFiles()).toBe(1)
    expect(await Bun.file(join(folder, '.incoming', 'interrupted')).exists()).toBe(false)
    const found = await answers.find(requestOf('key'))
    expect(found && ((await answers.open(found)) as StoredBytes).size).toBe(100_000)
  })
})

describe('the bound on one answer', () => {
  const chunk = new Uint8Array(1024 * 1024)

  test('a larger stream is not kept, and nothing of it remains; its caller does not wait', async () => {
    const recording = startRecording(answers, 1)
    for (let sent = 0; sent <= MAX_KEPT_BYTES; sent += chunk.length) await recording.add(chunk)
    await expect(recording.finish()).rejects.toMatchObject({ kind: 'payload_too_large' })
    expect(await countFiles()).toBe(0)
    await answers.removeStrays()
  })

  test('a larger whole answer is not kept', async () => {
    await expect(keepWhole(answers, 1, new Uint8Array(MAX_KEPT_BYTES + 1))).rejects.toMatchObject({
      kind: 'payload_too_large',
    })
    expect(await countFiles()).toBe(0)
  })

  test.each([0, 1, MAX_ROW_BYTES])('%i bytes are kept in the row', async (size) => {
    const recording = startRecording(answers, 1)
    await recording.add(new Uint8Array(size))
    expect(await recording.finish()).toMatchObject({ bytes: Buffer.alloc(size) })
    expect(await keepWhole(answers, 1, new Uint8Array(size))).toMatchObject({ bytes: new Uint8Array(size) })
    expect(await countFiles()).toBe(0)
  })

  test('one more byte goes to a file', async () => {
    const recording = startRecording(answers, 1)
    await recording.add(new Uint8Array(MAX_ROW_BYTES))
    await recording.add(new Uint8Array(1))
    expect(await recording.finish()).toHaveProperty('file')
    expect((await Array.fromAsync(files.list()))[0]?.bytes).toBe(MAX_ROW_BYTES + 1)
  })

  test('a discarded recording, small or large, leaves nothing, and records nothing more', async () => {
    for (const size of [10, 200_000]) {
      const recording = startRecording(answers, 1)
      await recording.add(new Uint8Array(size))
      await recording.discard()
      await recording.add(new Uint8Array(size))
      await expect(recording.finish()).rejects.toThrow('broken off')
    }
    expect(await countFiles()).toBe(0)
    expect(await Array.fromAsync(new Bun.Glob('.incoming/*').scan({ cwd: folder, dot: true }))).toEqual([])
  })

  test('a recording that is being finished can no longer be discarded', async () => {
    const recording = startRecording(answers, 1)
    await recording.add(new Uint8Array(200_000))
    const finished = recording.finish()
    await recording.discard()
    expect(await finished).toHaveProperty('file')
  })
})
