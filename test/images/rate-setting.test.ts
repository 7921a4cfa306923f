// `[limits] images_per_minute`: the maximum number of an account's image calls in any 60 seconds, and its headers.
import { describe, expect, test } from 'bun:test'
import { createRate } from '../../src/access/rate.ts'
import { GENERATIONS, generation, imagesScene, PICTURE } from './support.ts'

const { gateway, clock } = await imagesScene('\n[limits]\nimages_per_minute = 2\n')

const messages = [{ role: 'user', content: 'a red house' }]
const contents = [{ role: 'user', parts: [{ text: 'a red house' }] }]

const WAYS: readonly (readonly [name: string, path: string, body: object])[] = [
  ['generations', GENERATIONS, generation()],
  ['generateContent', `/v1beta/models/${PICTURE}:generateContent`, { contents }],
  ['chat', '/v1/chat/completions', { model: PICTURE, messages }],
]

const ratesOf = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}-requests`))

test.each(WAYS)(
  '%s: the third call in 60 seconds is 429, and each account has its own count',
  async (_, path, body) => {
    clock.now_ms += 61_000
    const key = await gateway.caller('10')
    const call = async (by = key) => {
      const response = await gateway.call(path, body, { key: by })
      await response.text()
      return [response.status, ...ratesOf(response)]
    }
    expect(await call()).toEqual([200, '2', '1', '60s'])
    expect(await call()).toEqual([200, '2', '0', '60s'])
    expect(await call()).toEqual([429, '2', '0', '60s'])
    expect(await call(await gateway.caller('10'))).toEqual([200, '2', '1', '60s'])
    clock.now_ms += 60_000
    expect(await call()).toEqual([200, '2', '1', '60s'])
  },
)

describe('a limit that is changed while calls are counted', () => {
  const rateAfter = (calls: number) => {
    const time = { ms: 0 }
    const rate = createRate(() => time.ms)
    for (let call = 0; call < calls; call++) {
      rate.take(1, 30)
      time.ms += 1_000
    }
    return rate
  }

  test.each([
    // The calls of seconds 0 to 9 are counted; it is second 10.
    ['lowered below the count', 4, { admitted: false, limit: 4, remaining: 0, resets_in_s: 56 }],
    ['lowered to the count', 10, { admitted: false, limit: 10, remaining: 0, resets_in_s: 50 }],
    ['raised', 100, { admitted: true, limit: 100, remaining: 89, resets_in_s: 50 }],
  ] as const)('%s', (_, limit, state) => {
    expect(rateAfter(10).take(1, limit)).toEqual(state)
  })
})
