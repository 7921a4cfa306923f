// Fields of an image request in another spelling, or repeated: the provider gets the values that were priced.
import { describe, expect, test } from 'bun:test'
import { GENERATIONS, generation, imagesScene, OVER_OPENAI, PNG, sends } from './support.ts'

const { call, upstream, upstreamBody, lastCall, counts, expectCounts } = await imagesScene()

/** A request over OpenAI's images API with further fields. */
const bodyWith = (fields: string) =>
  `${JSON.stringify(generation({ model: OVER_OPENAI })).slice(0, -1)},${fields}}`

describe('a name that some servers normalize is an unknown field', () => {
  test.each(['N', 'Size', 'QUALITY', '\u017fize', 'Model', 'num_images', '__proto__', 'n\\u0000'])(
    '%s',
    async (name) => {
      const before = counts()
      const response = await call(GENERATIONS, bodyWith(`"${name}":"high"`))
      const { error } = (await response.json()) as { error: { param: string } }
      expect([response.status, error.param]).toEqual([400, JSON.parse(`"${name}"`)])
      await expectCounts(before)
    },
  )
})

test('of a repeated field the provider gets the value that is charged', async () => {
  upstream.answer(sends(PNG, PNG))
  const response = await call(
    GENERATIONS,
    bodyWith('"n":1,"n":4,"n":2.0,"model":"dear","model":"test-gpt-image"'),
  )
  expect(response.status).toBe(200)
  expect(
    upstream
      .last()
      .body.toString()
      .match(/"(?:n|model)":[^,}]*/g)
      ?.sort(),
  ).toEqual(['"model":"gpt-image-1.5"', '"n":2'])
  expect(upstreamBody()).toMatchObject({ model: 'gpt-image-1.5', n: 2 })
  expect(await lastCall()).toMatchObject({ images: 2, cost_nanos: 100_000_000 })
})
