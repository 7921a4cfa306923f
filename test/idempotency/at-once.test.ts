// Simultaneous requests with one Idempotency-Key: one of them is served, whatever is read and written in between.
import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createIdempotency, type Idempotency } from '../../src/idempotency/idempotency.ts'
import {
  createKeptAnswers,
  KEPT_FOR_MS,
  type KeptAnswers,
  type KeyedRequest,
} from '../../src/idempotency/kept-answers.ts'
import { createFileStore } from '../../src/media/store.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb, type SqliteDb } from '../../src/store/engines/sqlite/sqlite.ts'
import type { Hold } from '../../src/store/schema.ts'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()
let connection: Database
let db: SqliteDb
let clock_ms = 1_000_000_000_000
let keys_per_account: number
let unwritten: Pick<Hold, 'account_id' | 'request_id'>[]
let requests = 0

beforeEach(() => {
  const path = folder.at('tollgate.db')
  makeEmptyDatabase(path)
  connection = openDatabase(path)
  connection.run(
    "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'one', 'active', 0, 0, 0, 0)",
  )
  db = openDb(path)
  keys_per_account = 1_000
  unwritten = []
})
afterEach(async () => {
  await db.close()
  connection.close()
})

/** The kept answers as one process sees them: gateway 1 unless another is named. */
const answersOf = (gateway_id = 1): KeptAnswers =>
  createKeptAnswers(db, createFileStore(folder.at('answers')), {
    now: () => clock_ms,
    limits: () => ({ kept_bytes: 2 ** 20, kept_bytes_per_account: 2 ** 20, keys_per_account }),
    gateway_id,
    unwritten: () => unwritten,
  })
/** One process that serves requests. */
const processOver = (answers = answersOf()): Idempotency =>
  createIdempotency({ answers, log: memoryLog().log, countReplay: () => {} })

const countKeys = () =>
  connection.query<{ n: number }, []>('SELECT count(*) AS n FROM idempotency_keys').get()?.n

interface Sent {
  content?: string
  serve?: () => Promise<Response>
}

/** Sends a request with the one key. @returns its answer: its body, `replayed`, or the code of its refusal */
async function send(
  to: Idempotency,
  { content = 'body', serve = async () => new Response('served') }: Sent = {},
): Promise<string> {
  const origin = {
    request: new Request('http://gateway/paid', { method: 'POST', headers: { 'idempotency-key': 'key' } }),
    request_id: `req_${requests++}`,
    render: () => ({ status: 400, body: { error: 'refused' } }),
  }
  const gone = new PlainSignal()
  const call = { origin, account_id: 1, content: [content], streams: false, gone, mayBegin: () => undefined }
  try {
    const answer = await to.once('key', call, serve)
    return answer.headers.has('idempotent-replayed') ? 'replayed' : await answer.text()
  } catch (thrown) {
    return (thrown as { code: string }).code
  }
}

describe('two requests in one turn', () => {
  test.each([
    ['with the same content', 'body', 'idempotency_key_in_use'],
    ['with other content', 'another', 'idempotency_key_reused'],
  ])('%s: one is served, the other refused', async (_, content, refusal) => {
    const one = processOver()
    expect(await Promise.all([send(one), send(one, { content })])).toEqual(['served', refusal])
    expect(countKeys()).toBe(1)
    expect(await send(one)).toBe('replayed')
  })

  test('if the first fails, the key is free for a third', async () => {
    const one = processOver()
    const serve = () => Promise.reject(Object.assign(new Error('no answer'), { code: 'failed' }))
    expect(await Promise.all([send(one, { serve }), send(one)])).toEqual(['failed', 'idempotency_key_in_use'])
    expect(await send(one)).toBe('served')
  })
})

describe('a key that another process takes after it was seen to be free', () => {
  /** A process that takes a key only after something else has happened. */
  function slowly(before: () => Promise<unknown>): Idempotency {
    const answers = answersOf()
    let is_first = true
    return processOver({
      ...answers,
      async begin(...taking) {
        if (is_first) await before()
        is_first = false
        return await answers.begin(...taking)
      },
    })
  }

  test.each<[string, () => Promise<unknown>, string]>([
    ['and keeps an answer for', () => send(processOver()), 'replayed'],
    ['for another request', () => send(processOver(), { content: 'another' }), 'idempotency_key_reused'],
    ['and frees again', () => send(processOver(), { serve: () => Promise.reject(new Error()) }), 'served'],
    ['and is still serving', startElsewhere, 'idempotency_key_in_use'],
  ])('%s', async (_, elsewhere, answered) => {
    expect(await send(slowly(elsewhere))).toBe(answered)
    expect(countKeys()).toBe(1)
  })

  /** Starts a request at another process, and returns once its money is held. */
  async function startElsewhere(): Promise<void> {
    const request_id = `req_${requests}`
    const { promise, resolve } = Promise.withResolvers<void>()
    void send(processOver(), {
      serve: () => {
        unwritten = [{ account_id: 1, request_id }]
        resolve()
        return new Promise(() => {})
      },
    })
    await promise
  }
})

describe('a key that a request at another gateway left without an answer', () => {
  const GATEWAYS: [which: string, gateways: string | undefined, answered: string][] = [
    ['that is alive', "(2, 'v', 0, NULL)", 'idempotency_key_in_use'],
    ['that has ended', "(2, 'v', 0, 9)", 'served'],
    ['that no longer has a row', undefined, 'served'],
  ]
  const left = async () => {
    const answers = answersOf(2)
    // Its row stays, as after a kill.
    const other = processOver({ ...answers, forget: async () => {} })
    expect(await send(other, { serve: () => Promise.reject(new Error()) })).toBeUndefined()
  }

  test.each(GATEWAYS)('%s', async (_, gateways, answered) => {
    if (gateways)
      connection.run(`INSERT INTO gateways (id, version, started_at_ms, ended_at_ms) VALUES ${gateways}`)
    await left()
    expect(await send(processOver(), { content: 'another' })).toBe('idempotency_key_reused')
    expect(await send(processOver())).toBe(answered)
    const owner = answered === 'served' ? 1 : 2
    expect(connection.query('SELECT gateway_id FROM idempotency_keys').values()).toEqual([[owner]])
  })

  test('of an earlier version is free', async () => {
    connection.run("INSERT INTO gateways (id, version, started_at_ms, ended_at_ms) VALUES (2, 'v', 0, NULL)")
    await left()
    connection.run('UPDATE idempotency_keys SET gateway_id = NULL')
    expect(await send(processOver())).toBe('served')
  })

  test.each(GATEWAYS)(
    '%s: the key counts as in progress, when the account has too many, only while that gateway is alive',
    async (_, gateways, answered) => {
      if (gateways)
        connection.run(`INSERT INTO gateways (id, version, started_at_ms, ended_at_ms) VALUES ${gateways}`)
      await left()
      keys_per_account = 1
      const request = {
        account_id: 1,
        key: 'newer',
        request_sha256: Buffer.alloc(32),
        request_id: 'req_newer',
      }
      await answersOf().begin(request, undefined, ({ key }) => key === 'newer')
      const keys = connection.query('SELECT key FROM idempotency_keys ORDER BY id').values()
      expect(keys).toEqual(answered === 'served' ? [['newer']] : [['key'], ['newer']])
    },
  )
})

describe('many requests that found a key', () => {
  const requestOf = (request_id: string): KeyedRequest => ({
    account_id: 1,
    key: 'key',
    request_sha256: Buffer.alloc(32),
    request_id,
  })
  const many = Array.from({ length: 8 }, (_, at) => `req_many_${at}`)
  const begin = (answers: KeptAnswers, request_id: string, seen: string | undefined) =>
    answers.begin(requestOf(request_id), seen, () => false)

  test.each<[string, (answers: KeptAnswers) => Promise<unknown>, string | undefined]>([
    ['unused', async () => {}, undefined],
    ['of a finished request', (answers) => begin(answers, 'first', undefined), 'first'],
    [
      'expired',
      async (answers) => {
        await begin(answers, 'first', undefined)
        clock_ms += KEPT_FOR_MS
      },
      undefined,
    ],
  ])('%s: one of them takes it', async (_, before, seen) => {
    await before(answersOf())
    const taken = await Promise.all(many.map((request_id) => begin(answersOf(), request_id, seen)))
    expect(taken.filter(Boolean)).toHaveLength(1)
    const rows = connection.query('SELECT request_id FROM idempotency_keys').values()
    expect(rows).toEqual([[many[taken.indexOf(true)] ?? '']])
  })

  test('none takes it once an answer is kept', async () => {
    const answers = answersOf()
    await begin(answers, 'first', undefined)
    const kept = { status: 200, headers: [], body: { bytes: Buffer.from('kept') } }
    await answers.keep(requestOf('first'), kept)
    expect(await begin(answers, 'second', 'first')).toBe(false)
    expect(await answers.find(requestOf('second'))).toMatchObject({ request_id: 'first', status: 200 })
  })
})

test('an account that takes many keys at once keeps the newest ones, up to its limit', async () => {
  keys_per_account = 10
  const answers = answersOf()
  const begin = (key: string, seen?: string) =>
    answers.begin(
      { account_id: 1, key, request_sha256: Buffer.alloc(32), request_id: `req_${key}` },
      seen,
      () => false,
    )
  for (let at = 0; at < 10; at++) await begin(`old-${at}`)
  // Taken again, so it is the newest of the old ones.
  await begin('old-0', 'req_old-0')
  await Promise.all(Array.from({ length: 9 }, (_, at) => begin(`new-${at}`)))
  const keys = connection.query<{ key: string }, []>('SELECT key FROM idempotency_keys ORDER BY id').all()
  expect(keys.map(({ key }) => key)).toEqual(['old-0', ...Array.from({ length: 9 }, (_, at) => `new-${at}`)])
})
