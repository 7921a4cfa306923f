// The output limit that is sent upstream where the balance pays for less than the model's longest answer: the affordable one.
import { beforeEach, describe, expect, test } from 'bun:test'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { THINKING } from '../support/catalogue.ts'
import {
  answer,
  answering,
  ask,
  nativeError,
  refusalOf,
  streamPath,
  usage,
  wholePath,
} from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { heldBack, whole } from '../support/upstream.ts'

const { gateway, upstream, upstreamBody } = await fileScene()
beforeEach(() => {
  upstream.requests.length = 0
  upstream.answer(answering)
})

const HEADER = 'x-tollgate-output-limit'
/** Pays for a prompt of a few tokens and a thousand tokens of output; the model allows 8,192. */
const LITTLE_USD = '0.004'

/** An account with little money. */
async function poor(balance_usd = LITTLE_USD) {
  const { id, name } = await gateway.account(`poor-${crypto.randomUUID()}`, { balance_usd })
  const row = () => gateway.rows().accounts.find((account) => account.id === id)
  return { id, key: await gateway.key(name), row }
}

describe('a balance that pays for a useful answer, but not for the longest one', () => {
  test.each([
    ['whole', wholePath(THINKING)],
    ['streamed', streamPath(THINKING)],
  ])('%s: the limit sent upstream is the affordable one, and a header says so', async (_, path) => {
    const { key } = await poor()
    const response = await gateway.call(path, ask(), { key })
    expect(response.status).toBe(200)
    const limit = Number(response.headers.get(HEADER))
    expect(limit).toBeWithin(256, 1_001)
    expect(upstreamBody()).toEqual({ ...ask(), generationConfig: { maxOutputTokens: limit } })
    await response.text()
    await gateway.rest()
  })

  test('the limit is the exact one: a token more could cost more than there is', async () => {
    const { key } = await poor()
    const response = await gateway.call(wholePath(THINKING), ask(), { key })
    const limit = Number(response.headers.get(HEADER))
    const hold = gateway.rows().holds.at(-1)?.amount_nanos ?? 0
    expect(hold).toBe(4_000_000)
    const input_nanos = hold - limit * 4_000
    expect(input_nanos).toBeGreaterThan(0)
    const { input_bound_tokens } = gemini.text.readRequest(ask())
    expect(Math.floor((hold - input_bound_tokens * 1_000) / 4_000)).toBe(limit)
  })

  test('an answer that takes all of it costs no more than the balance', async () => {
    const { key, row } = await poor()
    upstream.answer((seen) => {
      const { maxOutputTokens } = JSON.parse(seen.body.toString()).generationConfig
      const full = answer('…', usage(4, maxOutputTokens))
      return whole({ ...full, candidates: [{ ...full.candidates[0], finishReason: 'MAX_TOKENS' }] })
    })
    const response = await gateway.call(wholePath(THINKING), ask(), { key })
    expect(await response.json()).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] })
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)?.cost_nanos).toBeLessThanOrEqual(4_000_000)
    expect(row()).toMatchObject({ debt_nanos: 0, held_nanos: 0 })
    expect(row()?.balance_nanos).toBeGreaterThanOrEqual(0)
  })

  test('a lower limit of the caller’s own stands', async () => {
    const { key } = await poor()
    const body = `{"contents":[{"parts":[{"text":"Hi"}]}],  "generationConfig":{"maxOutputTokens":300}}`
    const response = await gateway.call(wholePath(THINKING), body, { key })
    expect(response.headers.has(HEADER)).toBe(false)
    expect(upstream.last().body.toString()).toBe(body)
  })

  test.each([
    [
      {
        generationConfig: { maxOutputTokens: 8_000, temperature: 1, thinkingConfig: { thinkingBudget: 0 } },
        x: { y: [1] },
      },
    ],
    [{ generationConfig: { topK: 3 } }],
  ])('nothing else of the request is changed: %j', async (rest) => {
    const { key } = await poor()
    const body = ask('Say hello.', rest)
    const response = await gateway.call(wholePath(THINKING), body, { key })
    const limit = Number(response.headers.get(HEADER))
    expect(limit).toBeWithin(256, 1_001)
    const { generationConfig } = rest
    expect(upstreamBody()).toEqual({
      ...body,
      generationConfig: { ...generationConfig, maxOutputTokens: limit },
    })
  })

  test('several candidates share the balance', async () => {
    const limitOf = async (candidateCount: number) => {
      const { key } = await poor()
      const body = ask('Say hello.', { generationConfig: { candidateCount } })
      return Number((await gateway.call(wholePath(THINKING), body, { key })).headers.get(HEADER))
    }
    const alone = await limitOf(1)
    const shared = await limitOf(2)
    expect(shared).toBeWithin(Math.floor(alone / 2) - 1, Math.ceil(alone / 2) + 1)
  })

  test('a second call at the same time finds nothing left', async () => {
    const { key } = await poor()
    const { script, received: arrived, release } = heldBack(answering)
    upstream.answer(script)
    const first = gateway.call(wholePath(THINKING), ask(), { key })
    await arrived
    const refusal = await refusalOf(await gateway.call(wholePath(THINKING), ask(), { key }))
    expect([refusal.status, refusal.body]).toEqual([402, nativeError(402, 'FAILED_PRECONDITION')])
    release()
    expect((await first).status).toBe(200)
    await gateway.rest()
  })

  test('a key’s spend limit lowers it as a balance does', async () => {
    const key = await gateway.caller('10', { spend_limit_nanos: 4_000_000 })
    const response = await gateway.call(wholePath(THINKING), ask(), { key })
    expect(Number(response.headers.get(HEADER))).toBeWithin(256, 1_001)
    await gateway.rest()
  })
})

describe('silent.md, Chat completions: "A `max_tokens` above the model\'s limit is lowered"', () => {
  test.each([8_193, 100_000])(
    '%i is lowered to 8,192, however large the balance',
    async (maxOutputTokens) => {
      const { key } = await poor('10')
      const body = ask('Say hello.', { generationConfig: { topK: 3, maxOutputTokens } })
      const response = await gateway.call(wholePath(THINKING), body, { key })
      expect(response.headers.get(HEADER)).toBe('8192')
      expect(upstreamBody()).toEqual({ ...body, generationConfig: { topK: 3, maxOutputTokens: 8_192 } })
      await gateway.rest()
    },
  )

  test('8,192 itself is sent as it came', async () => {
    const { key } = await poor('10')
    const body = ` ${JSON.stringify(ask('Say hello.', { generationConfig: { maxOutputTokens: 8_192 } }))} `
    const response = await gateway.call(wholePath(THINKING), body, { key })
    expect(response.headers.has(HEADER)).toBe(false)
    expect(upstream.last().body.toString()).toBe(body)
  })

  test('a small balance still lowers it further', async () => {
    const { key } = await poor()
    const body = ask('Say hello.', { generationConfig: { maxOutputTokens: 100_000 } })
    const response = await gateway.call(wholePath(THINKING), body, { key })
    expect(Number(response.headers.get(HEADER))).toBeWithin(256, 1_001)
    await gateway.rest()
  })
})

describe('the limit is not lowered', () => {
  test('where the balance pays for the longest answer: the body is sent as it came, and no header is added', async () => {
    const { key } = await poor('10')
    const body = ` ${JSON.stringify(ask())} `
    const response = await gateway.call(wholePath(THINKING), body, { key })
    expect(response.headers.has(HEADER)).toBe(false)
    expect(upstream.last().body.toString()).toBe(body)
  })

  test.each([
    ['the balance affords fewer than 256 tokens of output', '0.001', {}],
    [
      'the caller asks for fewer than 256 tokens, and the balance affords less',
      '0.0003',
      { generationConfig: { maxOutputTokens: 100 } },
    ],
  ])('but the call is refused, where %s', async (_, balance_usd, rest) => {
    const { key, row } = await poor(balance_usd)
    const refusal = await refusalOf(await gateway.call(wholePath(THINKING), ask('Say hello.', rest), { key }))
    expect([refusal.status, refusal.body]).toEqual([402, nativeError(402, 'FAILED_PRECONDITION')])
    expect(upstream.requests).toEqual([])
    expect(row()).toMatchObject({ held_nanos: 0, debt_nanos: 0 })
    await gateway.rest()
  })

  test('the hold of a call under way is its ceiling, and all of it but the cost is released', async () => {
    const { key, row } = await poor('10')
    const { script, received: arrived, release } = heldBack(answering)
    upstream.answer(script)
    const body = ask('Say hello.', { generationConfig: { maxOutputTokens: 500 } })
    const call = gateway.call(wholePath(THINKING), body, { key })
    await arrived
    await gateway.written()
    const held = row()?.held_nanos ?? 0
    expect(held).toBeWithin(500 * 4_000 + 1, 500 * 4_000 + 100_000)
    expect(row()?.balance_nanos).toBe(10_000_000_000)
    release()
    await (await call).text()
    expect(row()).toMatchObject({ held_nanos: 0, balance_nanos: 10_000_000_000 - 30_000 })
    await gateway.rest()
  })
})
