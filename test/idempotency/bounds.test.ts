// The bounds on kept answers: for an account, for all accounts together, and on the number of keys; also after a restart.
import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeptAnswers, type KeptAnswers } from '../../src/idempotency/kept-answers.ts'
import { startRecording } from '../../src/idempotency/recording.ts'
import type { AnswerLimits, KeyOfAccount } from '../../src/idempotency/room.ts'
import { createFileStore, type FileStore } from '../../src/media/store.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import type { KeptBody } from '../../src/store/kept/content.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { scene } from '../support/scene.ts'
import { answering, expectRefusal, PAID, send } from './support.ts'

const LARGE_BYTES = 100_000
/** Kept beside the body of an answer. */
const HEADERS: [string, string][] = [['x-a', 'b']]
const KEPT_BYTES = LARGE_BYTES + JSON.stringify(HEADERS).length
const CAP_BYTES = 2 ** 26

let folder: string
let db: Database
let files: FileStore
let answers: KeptAnswers
let limits: AnswerLimits

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-answers-'))
  db = memoryDatabase()
  for (const id of [1, 2, 3])
    db.run(
      'INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (?, ?, ?, 0, 0, 0, 0)',
      [id, `n${id}`, 'active'],
    )
  files = createFileStore(folder)
  limits = { kept_bytes: 10 * KEPT_BYTES, kept_bytes_per_account: 4 * KEPT_BYTES, keys_per_account: 1_000 }
  answers = open()
})
afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true })
})

const open = () =>
  createKeptAnswers(dbOver(db), files, { now: () => 1_000, limits: () => limits, gateway_id: 1 })
const requestOf = (account_id: number, key: string) => ({
  account_id,
  key,
  request_sha256: Buffer.alloc(32, key),
  request_id: `req_${account_id}_${key}`,
})
const keep = (account_id: number, key: string, body: KeptBody) =>
  answers.keep(requestOf(account_id, key), { status: 200, headers: HEADERS, body })
const large = (account_id: number) => answers.write(account_id, new Uint8Array(LARGE_BYTES), CAP_BYTES)

/** Takes a key from the request that has it, if any. */
async function take(
  request: ReturnType<typeof requestOf>,
  isUnderWay: (row: KeyOfAccount) => boolean = () => false,
) {
  const seen = (await answers.find(request))?.request_id
  expect(await answers.begin(request, seen, isUnderWay)).toBe(true)
}

/** Keeps an answer under a key, in its row or in a file. */
async function answer(account_id: number, key: string, where: 'row' | 'file' = 'file'): Promise<void> {
  await take(requestOf(account_id, key))
  await keep(
    account_id,
    key,
    where === 'row' ? { bytes: new Uint8Array(LARGE_BYTES) } : await large(account_id),
  )
}

/** The keys with a kept answer, and those that are only remembered. */
function keysOf(account_id: number): { kept: string; remembered: string } {
  const rows = db
    .query<{ key: string; kept_bytes: number; status: number | null }, [number]>(
      'SELECT key, kept_bytes, status FROM idempotency_keys WHERE account_id = ? ORDER BY id',
    )
    .all(account_id)
  const names = (kept: boolean) =>
    rows
      .filter(({ kept_bytes, status }) => (kept ? status !== null && kept_bytes > 0 : kept_bytes === 0))
      .map(({ key }) => key)
      .join(' ')
  return { kept: names(true), remembered: names(false) }
}
const bytesOnDisk = async () =>
  (await Array.fromAsync(files.list())).reduce((total, { bytes }) => total + bytes, 0)

describe('the bound of an account', () => {
  test.each(['row', 'file'] as const)('its oldest answers are dropped: in a %s', async (where) => {
    for (const key of 'abcdef') await answer(1, key, where)
    expect(keysOf(1)).toEqual({ kept: 'c d e f', remembered: 'a b' })
    expect(await bytesOnDisk()).toBe(where === 'file' ? 4 * LARGE_BYTES : 0)
  })

  test('other accounts keep theirs', async () => {
    await answer(2, 'other')
    for (const key of 'abcdef') await answer(1, key)
    expect(keysOf(2)).toEqual({ kept: 'other', remembered: '' })
  })

  test('an answer larger than the bound is not kept, and displaces none of the older ones', async () => {
    for (const key of 'ab') await answer(1, key)
    const writing = answers.write(1, new Uint8Array(4 * KEPT_BYTES + 1), CAP_BYTES)
    await expect(writing).rejects.toMatchObject({ kind: 'payload_too_large' })
    expect(keysOf(1).kept).toBe('a b')
    expect(await bytesOnDisk()).toBe(2 * LARGE_BYTES)
  })

  test('unfinished writes count: eight simultaneous streams of an account never exceed it', async () => {
    const chunk = new Uint8Array(LARGE_BYTES / 10)
    const recordings = Array.from({ length: 8 }, () => startRecording(answers, 1))
    for (let round = 0; round < 10; round += 1)
      await Promise.all(
        recordings.map(async (recording) => {
          await recording.add(chunk)
          const written = await Array.fromAsync(new Bun.Glob('**/*').scan({ cwd: folder, dot: true }))
          const sizes = written.map((path) => Bun.file(join(folder, path)).size)
          expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(4 * KEPT_BYTES)
        }),
      )
    const ended = await Promise.allSettled(recordings.map((recording) => recording.finish()))
    expect(ended.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(4)
    expect(await bytesOnDisk()).toBeLessThanOrEqual(4 * KEPT_BYTES)
  })

  test('failed writes, freed keys, and keys taken by another request no longer count', async () => {
    async function* breaking() {
      yield new Uint8Array(LARGE_BYTES)
      throw new Error('broken off')
    }
    for (let round = 0; round < 6; round += 1) {
      await expect(answers.write(1, breaking(), CAP_BYTES)).rejects.toThrow('broken off')
      await answer(1, 'freed')
      await answers.forget(requestOf(1, 'freed'))
      await take(requestOf(1, 'taken'))
      const late = await large(1)
      await take({ ...requestOf(1, 'taken'), request_id: 'req_second' })
      await keep(1, 'taken', late)
    }
    expect(await bytesOnDisk()).toBe(0)
    for (const key of 'abcd') await answer(1, key)
    expect(keysOf(1).kept).toBe('a b c d')
  })
})

describe('the bound of all accounts together', () => {
  test('is enforced on the account that keeps the most', async () => {
    limits = { ...limits, kept_bytes: 5 * KEPT_BYTES }
    for (const key of 'ab') await answer(2, key)
    for (const key of 'abcd') await answer(1, key)
    await answer(3, 'a')
    expect([keysOf(1).kept, keysOf(2).kept, keysOf(3).kept]).toEqual(['c d', 'a b', 'a'])
    expect(await bytesOnDisk()).toBe(5 * LARGE_BYTES)
  })

  test('of 0 keeps nothing', async () => {
    limits = { ...limits, kept_bytes: 0 }
    await take(requestOf(1, 'a'))
    await expect(large(1)).rejects.toMatchObject({ kind: 'payload_too_large' })
    await expect(keep(1, 'a', { bytes: new Uint8Array(1) })).rejects.toMatchObject({
      kind: 'payload_too_large',
    })
    expect(keysOf(1)).toEqual({ kept: '', remembered: 'a' })
  })
})

describe('after a restart', () => {
  test('answers on the disk are counted again', async () => {
    for (const key of 'abcd') await answer(1, key)
    answers = open()
    await answers.removeStrays()
    await answer(1, 'e')
    expect(keysOf(1)).toEqual({ kept: 'b c d e', remembered: 'a' })
  })

  test('so are files kept by a version without bounds', async () => {
    for (const key of 'abcd') await answer(1, key)
    db.run('UPDATE idempotency_keys SET kept_bytes = length(headers)')
    answers = open()
    await answers.removeStrays()
    await answer(1, 'e')
    expect(keysOf(1).kept).toBe('b c d e')
  })

  test('the next sweep enforces lowered bounds', async () => {
    for (const key of 'abcd') await answer(1, key)
    limits = { ...limits, kept_bytes_per_account: KEPT_BYTES }
    answers = open()
    await answers.sweep()
    expect(keysOf(1).kept).toBe('d')
    expect(await bytesOnDisk()).toBe(LARGE_BYTES)
  })
})

describe('the number of keys of an account', () => {
  const count = (account_id: number) =>
    db
      .query<{ n: number }, [number]>('SELECT count(*) AS n FROM idempotency_keys WHERE account_id = ?')
      .get(account_id)?.n

  test('its oldest are forgotten, but none in progress', async () => {
    limits = { ...limits, keys_per_account: 10 }
    await take(requestOf(2, 'other'))
    for (let made = 0; made < 25; made += 1)
      await take(requestOf(1, `key-${made}`), ({ key }) => key === 'key-3' || key === 'key-24')
    expect(count(1)).toBe(10)
    expect(await answers.find(requestOf(1, 'key-3'))).toBeDefined()
    expect(await answers.find(requestOf(1, 'key-15'))).toBeUndefined()
    expect(await answers.find(requestOf(1, 'key-16'))).toBeDefined()
    expect(count(2)).toBe(1)
  })

  test('the answers of forgotten keys are deleted', async () => {
    limits = { ...limits, keys_per_account: 2 }
    for (const key of 'abc') await answer(1, key)
    expect(await bytesOnDisk()).toBe(2 * LARGE_BYTES)
    limits = { ...limits, keys_per_account: 1_000 }
    for (const key of 'de') await answer(1, key)
    expect(keysOf(1).kept).toBe('b c d e')
  })
})

describe('over a socket', () => {
  test.each(['native, whole', 'native, events'] as const)(
    '%s: a repeat whose answer was dropped is refused with the reason, and not charged; a newer answer is replayed',
    async (kind) => {
      await using s = await scene({ server: 'kept_answers_mb_per_account = 1' })
      s.upstream.answer(answering('x'.repeat(600_000)))
      const repeat = (idempotency_key: string) => send(s.gateway, PAID[kind], { key: s.key, idempotency_key })
      for (const key of ['older', 'newer']) expect((await repeat(key)).status).toBe(200)
      const before = s.counts()
      expectRefusal(await repeat('older'), 409, /newer answers replaced it.*send a new key/)
      expect((await repeat('newer')).replayed).toBe('true')
      await s.expectCounts(before)
    },
  )
})
