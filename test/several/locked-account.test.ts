// A locked account: a stranger's transaction locks its row. Its calls wait or get 503, and those of all others go on.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { answering, ask, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { type World, world } from './world.ts'

/** Every second lane sends an Idempotency-Key with each call: as many lanes as connections on which calls write. */
const LANES = 8
const RUN_MS = 2_000
/** The test is about which calls wait, not about throughput: even a busy machine must have time left. */
const PAUSE_MS = 150

interface Answered {
  status: number
  is_keyed: boolean
  retry_after: string | null
}

/** Makes calls with some keys in turn, for a time. */
async function callFor(w: World, keys: readonly string[], ms: number) {
  const answers: Answered[] = []
  const end_ms = performance.now() + ms
  const lane = async (at: number) => {
    while (performance.now() < end_ms) {
      const key = keys[at % keys.length] ?? ''
      const is_keyed = at % 2 === 1
      const own = is_keyed ? { 'idempotency-key': crypto.randomUUID() } : {}
      const { status, headers } = await w.call(0, wholePath(), ask(), key, own)
      answers.push({ status, is_keyed, retry_after: headers.get('retry-after') })
      await Bun.sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)))
  return answers
}

describe.if(hasPostgres)('an account in which a stranger has locked', () => {
  let w: World
  let others: string[]
  beforeAll(async () => {
    w = await world({
      gateways: 1,
      script: answering,
      environment: [{ SWEEP_EVERY_MS: 60_000, SILENT_AFTER_MS: 30_000, BEAT_EVERY_MS: 2_000 }],
    })
    others = [await w.caller('100'), await w.caller('100')]
  })
  afterAll(() => w[Symbol.asyncDispose]())

  const LOCKS: [row: string, account: string, lock: string][] = [
    ['its row', 'one', "SELECT 1 FROM tollgate.accounts WHERE name = 'one' FOR UPDATE"],
    [
      'the row of its key',
      'two',
      "UPDATE tollgate.keys SET prefix = prefix WHERE account_id = (SELECT id FROM tollgate.accounts WHERE name = 'two')",
    ],
  ]
  test.each(LOCKS)('%s: its calls get 503 with Retry-After, and all others 200', async (_, account, lock) => {
    const locked = await w.caller('100', {}, account)
    // Its settlement waits for the row.
    for (const key of [...others, locked]) expect((await w.call(0, wholePath(), ask(), key)).status).toBe(200)
    await using stranger = new SQL({ url: w.database_url, max: 1 })
    let of_locked: Answered[] = []
    let meanwhile: Answered[] = []
    await stranger.begin(async (tx) => {
      await tx.unsafe(lock)
      ;[of_locked, meanwhile] = await Promise.all([callFor(w, [locked], RUN_MS), callFor(w, others, RUN_MS)])
      const log = await w.members[0]?.log()
      expect(log).not.toContain('the ledger cannot commit')
    })
    const of = (answers: readonly Answered[]) => new Set(answers.map(({ status }) => status))
    expect(of(meanwhile)).toEqual(new Set([200]))
    expect(of(of_locked)).toEqual(new Set([503]))
    expect(of_locked.every(({ retry_after }) => Number(retry_after) >= 1)).toBe(true)
    // A lane that waited for the lock would get one answer in this time. How many others get depends on the machine.
    for (const keyed of [true, false])
      expect(meanwhile.filter(({ is_keyed }) => is_keyed === keyed).length).toBeGreaterThan(1.5 * LANES)
    expect((await w.call(0, wholePath(), ask(), locked)).status).toBe(200)
    await w.rest()
  })
})
