// The end of a request with an Idempotency-Key: the ledger decides whether its key is free, whatever error was thrown.
import type { Database } from 'bun:sqlite'
import { beforeEach, describe, expect, test } from 'bun:test'
import { invalidRequest, upstreamFailed } from '../../src/domain/errors.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { createIdempotency, type Idempotency } from '../../src/idempotency/idempotency.ts'
import { createKeptAnswers } from '../../src/idempotency/kept-answers.ts'
import type { Operation } from '../../src/money/ledger/operations.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import type { ContentFiles } from '../../src/store/kept/content.ts'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'
import { CALL, hold, post, voided, world } from '../money/ledger/world.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'

/** These answers are small: none of them goes to a file. */
const NO_FILES: ContentFiles = {
  put: () => Promise.reject(broken?.failure ?? new Error('no file was expected')),
  open: async () => undefined,
  remove: async () => undefined,
  list: async function* () {},
  folder: undefined,
}

const LIMITS = { kept_bytes: 2 ** 20, kept_bytes_per_account: 2 ** 20, keys_per_account: 1_000 }

let db: Database
let idempotency: Idempotency
let requests = 0
let is_unreachable = false
let finds = 0
/** The step at the end of a request that fails, and its error. */
let broken: { step: Step; failure: Error } | undefined
type Step = 'find' | 'callOf' | 'keep' | 'forget'
/** Settles the hold right after the gateway has looked at it. */
let settled_between: Operation | undefined
const breakAt = (step: Step) => {
  if (broken?.step === step) throw broken.failure
}

const storage = () => new StorageFailure('unreachable', { code: '08006', message: 'it does not answer' })
const bug = () => new Error('disk I/O error')
const failIfUnreachable = () => {
  if (is_unreachable) throw storage()
}

beforeEach(() => {
  broken = undefined
  is_unreachable = false
  settled_between = undefined
  db = world({ balance: 1_000 })
  const answers = createKeptAnswers(dbOver(db), NO_FILES, {
    now: () => 0,
    limits: () => LIMITS,
    gateway_id: 1,
  })
  const failing = {
    ...answers,
    find: async (...request: Parameters<typeof answers.find>) => {
      finds += 1
      failIfUnreachable()
      breakAt('find')
      return await answers.find(...request)
    },
    isHeld: async (...row: Parameters<typeof answers.isHeld>) => {
      const is_held = await answers.isHeld(...row)
      settleBetween()
      return is_held
    },
    callOf: async (...row: Parameters<typeof answers.callOf>) => {
      breakAt('callOf')
      const call = await answers.callOf(...row)
      settleBetween()
      return call
    },
    keep: async (...kept: Parameters<typeof answers.keep>) => {
      failIfUnreachable()
      breakAt('keep')
      await answers.keep(...kept)
    },
    forget: async (...request: Parameters<typeof answers.forget>) => {
      failIfUnreachable()
      breakAt('forget')
      await answers.forget(...request)
    },
  }
  idempotency = createIdempotency({ answers: failing, log: memoryLog().log, countReplay: () => {} })
})

const KEY = 'key'

/** Makes the request of these tests: the same one each time, with the same key. */
const callOf = (streams = false) => ({
  origin: {
    request: new Request('http://gateway/paid', { method: 'POST', headers: { 'idempotency-key': KEY } }),
    request_id: `req_${requests++}`,
    render: () => ({ status: 400, body: { error: 'refused' } }),
  },
  account_id: 1,
  content: ['body'],
  streams,
  gone: new PlainSignal(),
  mayBegin: () => undefined,
})

function settleBetween(): void {
  if (!settled_between) return
  const operation = settled_between
  settled_between = undefined
  inLedger([operation])
}

const inLedger = (operations: Operation[]) => void createWriter(db).commit(operations)

/** Sends the request again. @returns 'anew', 'replayed' with the status of the kept answer, or the code of the refusal */
async function sendAgain(streams = false): Promise<string> {
  try {
    const answer = await idempotency.once(KEY, callOf(streams), async () => new Response('anew'))
    return answer.headers.has('idempotent-replayed') ? `replayed ${answer.status}` : await answer.text()
  } catch (thrown) {
    return (thrown as { code: string }).code
  }
}

/** Sends a first request that does this in the ledger, and then fails. */
async function failFirst(operations: (request_id: string) => Operation[], failure: Error): Promise<void> {
  const call = callOf()
  const failing = idempotency.once(KEY, call, async () => {
    inLedger(operations(call.origin.request_id))
    throw failure
  })
  await expect(failing).rejects.toBe(failure)
}

const FAILED = upstreamFailed('no answer')
const REFUSED = invalidRequest('no such tool')
const held = (request_id: string) => hold(100, { request_id })

describe('a request that failed', () => {
  const CASES: [name: string, (request_id: string) => Operation[], failure: Error, then: string][] = [
    ['before its hold', () => [], FAILED, 'anew'],
    ['permanently, before its hold', () => [], REFUSED, 'anew'],
    ['and whose hold was voided', (id) => [held(id), voided(1)], FAILED, 'anew'],
    ['permanently, and whose hold was voided', (id) => [held(id), voided(1)], REFUSED, 'replayed 400'],
    ['by a bug, and whose hold was voided', (id) => [held(id), voided(1)], new TypeError('bug'), 'anew'],
    ['and whose hold is still pending', (id) => [held(id)], FAILED, 'idempotency_key_in_use'],
    ['permanently, and whose hold is still pending', (id) => [held(id)], REFUSED, 'idempotency_key_in_use'],
    ['after it was charged', (id) => [held(id), post(1, 70)], FAILED, 'idempotent_answer_lost'],
    ['after it was charged nothing', (id) => [held(id), post(1, 0)], FAILED, 'anew'],
  ]
  test.each(CASES)('%s', async (_, operations, failure, then) => {
    await failFirst(operations, failure)
    expect(await sendAgain()).toBe(then)
  })

  test.each([
    ['voided', voided(1), 'anew'],
    ['posted', post(1, 70), 'idempotent_answer_lost'],
  ])('while its hold was pending, which is %s later', async (_, resolution, then) => {
    await failFirst((id) => [held(id)], FAILED)
    expect(await sendAgain()).toBe('idempotency_key_in_use')
    inLedger([resolution])
    expect(await sendAgain()).toBe(then)
  })
})

describe('a whole answer that was charged, and cannot be kept', () => {
  const LOST = 'idempotent_answer_lost'
  test.each([
    [
      'while the database is unreachable, is kept once it answers',
      storage(),
      5,
      'idempotency_key_in_use',
      'replayed 200',
    ],
    ['for another reason, is lost', bug(), 5, LOST, LOST],
    ['in a bucket that does not answer, is lost: it would fill the memory', storage(), 70_000, LOST, LOST],
  ])('%s', async (_, failure, bytes, at_once, then) => {
    const answer = await idempotency.once(KEY, callOf(), async () => {
      inLedger([hold(100, { request_id: `req_${requests - 1}` }), post(1, 70)])
      broken = { step: 'keep', failure }
      return new Response('a'.repeat(bytes))
    })
    expect((await answer.text()).length).toBe(bytes)
    expect(await sendAgain()).toBe(at_once)
    broken = undefined
    await eventually('its end is known', async () => (await sendAgain()) === then)
  })
})

describe('a stream', () => {
  /** Serves a stream that first holds money, and calls `atEnd` last. */
  async function streamFirst(
    atEnd: (controller: ReadableStreamDefaultController) => void,
    call = callOf(true),
  ): Promise<Response> {
    let sent = false
    return idempotency.once(KEY, call, async () => {
      inLedger([held(call.origin.request_id)])
      const body = new ReadableStream({
        pull(controller) {
          if (sent) return atEnd(controller)
          sent = true
          controller.enqueue(Buffer.from('hello'))
        },
      })
      return new Response(body)
    })
  }

  test('that was completed and charged is replayed', async () => {
    const answer = await streamFirst((controller) => {
      inLedger([post(1, 70)])
      controller.close()
    })
    expect(await answer.text()).toBe('hello')
    expect(await sendAgain(true)).toBe('replayed 200')
  })

  describe('that ends while the database is unreachable arrives as one without a key, and stays in progress until its settlement is known', () => {
    const CASES: [end: string, resolution: Operation, then: string][] = [
      ['complete and charged', post(1, 70), 'replayed 200'],
      ['interrupted and charged', post(1, 70, { ...CALL, outcome: 'broken' }), 'replayed 200'],
      ['not charged', voided(1), 'anew'],
    ]
    test.each(CASES)('%s', async (_, resolution, then) => {
      const answer = await streamFirst((controller) => {
        is_unreachable = true
        controller.close()
      })
      expect(await answer.text()).toBe('hello')
      expect(await sendAgain(true)).toBe('idempotency_key_in_use')
      is_unreachable = false
      // The database answers, and the settlement is not written yet.
      const before = finds
      await eventually('the gateway looks again', () => finds > before)
      expect(await sendAgain(true)).toBe('idempotency_key_in_use')
      inLedger([resolution])
      await eventually('its end is known', async () => (await sendAgain(true)) === then)
    })
  })

  test('whose caller disconnects after its last bytes, before its charge is known, is replayed', async () => {
    const call = callOf(true)
    const answer = await streamFirst((controller) => {
      is_unreachable = true
      controller.close()
    }, call)
    expect(await answer.text()).toBe('hello')
    call.gone.abort()
    is_unreachable = false
    inLedger([post(1, 70)])
    await eventually('its end is known', async () => (await sendAgain(true)) === 'replayed 200')
  })

  test.each([
    ['charged', post(1, 70), 'replayed 200'],
    ['not charged', voided(1), 'anew'],
  ])('whose end is settled between two looks is known, and was %s', async (_, resolution, then) => {
    const answer = await streamFirst((controller) => {
      settled_between = resolution
      controller.close()
    })
    expect(await answer.text()).toBe('hello')
    await eventually('its end is known', async () => (await sendAgain(true)) === then)
  })

  describe('whose last bytes are followed by a failure arrives whole', () => {
    const CASES: [of: string, step: Step, failure: Error, resolution: Operation, then: string][] = [
      ['the storage', 'find', storage(), post(1, 70), 'replayed 200'],
      ['the storage', 'callOf', storage(), post(1, 70), 'replayed 200'],
      ['the storage', 'keep', storage(), post(1, 70), 'replayed 200'],
      ['the storage', 'find', storage(), voided(1), 'anew'],
      ['the storage', 'callOf', storage(), voided(1), 'anew'],
      ['anything else', 'find', bug(), post(1, 70), 'idempotent_answer_lost'],
      ['anything else', 'callOf', bug(), post(1, 70), 'idempotent_answer_lost'],
      // An answer that cannot be kept is lost, and was charged.
      ['anything else', 'keep', bug(), post(1, 70), 'idempotent_answer_lost'],
      ['anything else', 'find', bug(), voided(1), 'anew'],
      ['anything else', 'callOf', bug(), voided(1), 'anew'],
    ]
    test.each(CASES)('of %s (%s)', async (_of, step, failure, resolution, then) => {
      const answer = await streamFirst((controller) => {
        inLedger([resolution])
        broken = { step, failure }
        controller.close()
      })
      expect(await answer.text()).toBe('hello')
      broken = undefined
      await eventually('its end is known', async () => (await sendAgain(true)) === then)
    })
  })

  test('that was charged stays in progress until its end is read', async () => {
    const answer = await streamFirst((controller) => controller.close())
    const reader = answer.body?.getReader()
    await reader?.read()
    inLedger([post(1, 70)])
    expect(await sendAgain(true)).toBe('idempotency_key_in_use')
    await reader?.read()
    expect(await sendAgain(true)).toBe('replayed 200')
  })

  test.each([
    ['charged', post(1, 70), 'idempotent_answer_lost'],
    ['not charged', voided(1), 'anew'],
  ])('that fails, and was %s, is no longer in progress', async (_, resolution, then) => {
    const failure = new Error('the connection broke')
    const answer = await streamFirst((controller) => {
      inLedger([resolution])
      controller.error(failure)
    })
    await expect(answer.text()).rejects.toBe(failure)
    expect(await sendAgain(true)).toBe(then)
  })

  test.each([
    ['charged', post(1, 70), 'idempotent_answer_lost'],
    ['not charged', voided(1), 'anew'],
  ])('whose reader stops, and which was %s, is no longer in progress', async (_, resolution, then) => {
    const answer = await streamFirst(() => {})
    const reader = answer.body?.getReader()
    await reader?.read()
    inLedger([resolution])
    await reader?.cancel()
    expect(await sendAgain(true)).toBe(then)
  })
})
