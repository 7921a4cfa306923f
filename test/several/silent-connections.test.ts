// Silent connections: the server of the database fails over, and those to the former one fall silent. Calls go on over new ones within seconds.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { world } from './world.ts'

/** The defaults in production. */
const REAL_TIMES = { BEAT_EVERY_MS: 2_000, SILENT_AFTER_MS: 30_000 }
/** The guide promises 503 within 5 seconds on a machine that is not busy. Reports have 35 seconds, and calls must not wait for that. */
const MAX_ANSWER_MS = 15_000
/** Between two calls of a lane: the lanes need all connections, and not the whole machine. */
const PAUSE_MS = 30

describe.if(hasPostgres)('connections that fall silent while new ones work', () => {
  test(`are closed, whatever uses them: no call waits for ${MAX_ANSWER_MS} ms, and each gets 200 or 503`, async () => {
    await using w = await world({ gateways: 1, script: answering, environment: [REAL_TIMES] })
    // More keys than connections; the gateway looks each one up again every second.
    const keys = await Promise.all(Array.from({ length: 8 }, () => w.caller('10')))
    const answers: { at_ms: number; status: number; took_ms: number }[] = []
    let is_over = false
    const lanes = keys.map(async (key, at) => {
      while (!is_over) {
        const began_ms = performance.now()
        // Half of the calls also query the database for their Idempotency-Key.
        const headers = at % 2 ? { 'idempotency-key': crypto.randomUUID() } : {}
        const { status } = await w.call(0, wholePath(), ask(), key, headers)
        answers.push({ at_ms: performance.now(), status, took_ms: performance.now() - began_ms })
        await Bun.sleep(PAUSE_MS)
      }
    })
    while (answers.length < 50) await Bun.sleep(20)
    // So that some of the keys are due for a lookup.
    await Bun.sleep(900)
    const silent_ms = performance.now()
    w.silence()
    const firstAfter = () => answers.find(({ at_ms, status }) => at_ms > silent_ms + 500 && status === 200)
    await eventually('a call was answered', () => firstAfter() !== undefined)
    is_over = true
    await Promise.all(lanes)
    expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([200, 503]))).toBe(true)
    expect(Math.max(...answers.map(({ took_ms }) => took_ms))).toBeLessThan(MAX_ANSWER_MS)
    await w.rest()
  })
})
