// Limits over three gateways behind nginx: a balance, concurrent calls, requests and tokens a minute, and images are exact over all of them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { draws, GENERATIONS, generation, PNG } from '../images/support.ts'
import { PROVIDER } from '../support/catalogue.ts'
import { IS_LONG } from '../support/long.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { hasPostgres } from '../support/postgres.ts'
import { modelSection } from '../support/sections.ts'
import { RARE_SWEEPS, type World, world } from './world.ts'

/** A model whose calls hold what they cost: 5 tokens of output. */
const FIXED = 'test-fixed'
const DRAWING = 'test-drawing'
const CALL_USD = 5 * 0.000_004

const MORE = `
${modelSection(FIXED, { [PROVIDER]: 'upstream-model-1' }, { price: 'input = 0, output = 4', more: 'max_output_tokens = 5' })}
${modelSection(DRAWING, { [PROVIDER]: 'upstream-image' }, { kind: 'image', price: 'per_image = 0.04' })}

[limits.accounts.requests]
requests_per_minute = 20

[limits.accounts.tokens]
tokens_per_minute = 100

[limits.accounts.at-once]
concurrent_calls = 4
`

interface Reply {
  status: number
  retry_after: string | null
  text: string
}

describe.if(hasPostgres && hasNginx)('three gateways behind nginx', () => {
  let w: World
  let nginx: Nginx

  beforeAll(async () => {
    // On a busy machine no gateway must be considered dead: its holds would be free, and its calls charged late.
    const environment = [1, 2, 3].map(() => ({ ...RARE_SWEEPS, SILENT_AFTER_MS: 60_000 }))
    w = await world({ script: answering, more: MORE, environment })
    nginx = await startNginx(w.members.map(({ url }) => url))
  })
  afterAll(async () => {
    await nginx[Symbol.asyncDispose]()
    await w[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    w.upstream.answer(answering)
    w.upstream.requests.length = 0
  })

  async function send(key: string, path = wholePath(FIXED), body: unknown = ask()): Promise<Reply> {
    const answer = await fetch(new URL(path, nginx.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const retry_after = answer.headers.get('retry-after')
    return { status: answer.status, retry_after, text: await answer.text() }
  }
  const times = (count: number, call: () => Promise<Reply>) => Array.from({ length: count }, call)

  test('admit exactly the calls that the balance pays for', async () => {
    const { sent, paid } = IS_LONG ? { sent: 3_000, paid: 700 } : { sent: 120, paid: 40 }
    const key = await w.caller((paid * CALL_USD).toFixed(6))
    expect(await statusesOf(times(sent, () => send(key)))).toEqual({ 200: paid, 402: sent - paid })
    expect(w.upstream.requests).toHaveLength(paid)
    await w.rest()
    const [account] = await w.db.rows<{ balance_nanos: number; debt_nanos: number }>(
      'SELECT balance_nanos, debt_nanos FROM accounts ORDER BY id DESC LIMIT 1',
    )
    expect(account).toEqual({ balance_nanos: 0, debt_nanos: 0 })
  })

  test.each<[owner: string, account: string | undefined, settings: object]>([
    ['a key', undefined, { concurrent_calls: 4 }],
    ['an account', 'at-once', {}],
  ])('send the provider at most 4 concurrent calls of %s, of 30', async (_owner, account, settings) => {
    const key = await w.caller('10', settings, account)
    let under_way = 0
    let peak = 0
    const ends: (() => void)[] = []
    w.upstream.answer(async (seen) => {
      under_way += 1
      peak = Math.max(peak, under_way)
      await new Promise<void>((resolve) => void ends.push(resolve))
      under_way -= 1
      return answering(seen)
    })
    const first = times(30, () => send(key))
    const refused = await firstOf(26, first)
    expect(refused.map(({ status, retry_after }) => [status, retry_after])).toEqual(
      Array.from({ length: 26 }, () => [429, '1']),
    )
    expect(refused[0]?.text).toMatch(
      /Rate limit reached: concurrent requests of this (?:key|account)\. Retry after 1 s\./,
    )
    for (const end of ends.splice(0)) end()
    expect(await statusesOf(first)).toEqual({ 200: 4, 429: 26 })
    expect(peak).toBe(4)
    // Until each of 30 is served: a refused call is sent again.
    const ticking = setInterval(() => ends.shift()?.(), 5)
    const untilAnswered = async (): Promise<Reply> => {
      for (;;) {
        const reply = await send(key)
        if (reply.status !== 429) return reply
        await Bun.sleep(10)
      }
    }
    expect(await statusesOf(times(30, untilAnswered))).toEqual({ 200: 30 })
    clearInterval(ticking)
    expect(peak).toBe(4)
    await w.rest()
  })

  test('admit 30 image calls in 60 seconds, and not 31', async () => {
    const key = await w.caller('10')
    w.upstream.answer(draws(PNG))
    const answers = times(40, () => send(key, GENERATIONS, generation({ model: DRAWING })))
    expect(await statusesOf(answers)).toEqual({ 200: 30, 429: 10 })
    expect(w.upstream.requests).toHaveLength(30)
    await w.rest()
  })

  test('admit as many requests a minute as the limit, and tell the others when to retry', async () => {
    const key = await w.caller('10', {}, 'requests')
    expect(await statusesOf(times(60, () => send(key)))).toEqual({ 200: 20, 429: 40 })
    expect(w.upstream.requests).toHaveLength(20)
    const refused = await send(key)
    expect(Number(refused.retry_after)).toBeWithin(1, 62)
    expect(refused.text).toContain('Rate limit reached: requests per minute of this account.')
    for (const { url } of w.members) {
      const account = await fetch(new URL('/api/v1/account', url), {
        headers: { authorization: `Bearer ${key}` },
      })
      expect(await account.json()).toMatchObject({
        limits: { account: { requests_per_minute: { limit: 20, used: 20 } } },
      })
    }
    await w.rest()
  })

  test('admit calls until earlier ones have used the tokens of the minute', async () => {
    const key = await w.caller('10', {}, 'tokens')
    const statuses: number[] = []
    for (let at = 0; at < 9; at += 1) statuses.push((await send(key)).status)
    // 15 tokens each: the seventh begins with 90 used.
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 429, 429])
    await w.rest()
  })
})

/** The number of answers with each status. */
async function statusesOf(answers: readonly Promise<Reply>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The first `count` replies to arrive. */
async function firstOf(count: number, answers: readonly Promise<Reply>[]): Promise<Reply[]> {
  const replies: Reply[] = []
  const enough = Promise.withResolvers<Reply[]>()
  for (const answer of answers)
    void answer.then((reply) => {
      replies.push(reply)
      if (replies.length === count) enough.resolve([...replies])
    }, enough.reject)
  return await enough.promise
}
