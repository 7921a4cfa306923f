// A response with pictures asked for again under its Idempotency-Key: what any of its calls was charged for is not made again.
import { expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { modelSection } from '../support/sections.ts'
import { draw, PAINTER, PICTURE_NANOS, paints, pictureScene, TURN_NANOS, telling } from './picture-scene.ts'

const FREE = 'free-words'
const PAID = 'over-chat'
const { gateway, upstream, call, asked_images } = await pictureScene(
  modelSection(FREE, { chat: FREE }, { price: 'input = 0, output = 0', more: 'max_output_tokens = 4096' }),
)

const bodyOf = (model: string) => ({
  model,
  input: 'Draw a cat.',
  tools: [{ type: 'image_generation', model: PAINTER }],
  stream: true,
})

/** Reads a stream until it has a text, then leaves. */
async function leaveAfter(text: string, response: Response, leaving: AbortController): Promise<void> {
  const decoder = new TextDecoder()
  let seen = ''
  if (!response.body) throw new Error('there is no stream')
  for await (const chunk of response.body) {
    seen += decoder.decode(chunk, { stream: true })
    if (seen.includes(text)) break
  }
  leaving.abort()
}

test.each([
  [FREE, 0],
  [PAID, TURN_NANOS],
])(
  '%s: who left once the picture was charged is told of that, and not charged again',
  async (model, nanos) => {
    const key = await gateway.caller('10')
    const first_call = gateway.rows().calls.length
    const calls = () => gateway.rows().calls.slice(first_call)
    const leaving = new AbortController()
    const headers = { 'idempotency-key': 'cat' }
    upstream.answer(telling([draw(), { steps: ['hang'] }], paints()))
    const { signal } = leaving
    const response = await call('/v1/responses', bodyOf(model), { key, headers, signal })
    await leaveAfter('response.image_generation_call.completed', response, leaving)
    // Until the gateway has seen that they left.
    await eventually('the first request is over', () => calls().length === 3)
    const drawn = asked_images().length
    let told = ''
    await eventually('it is no longer under way', async () => {
      const again = await call('/v1/responses', bodyOf(model), { key, headers })
      told = `${again.status} ${await again.text()}`
      return !told.includes('under way')
    })
    expect(told).toMatch(/^409 .*charged/)
    expect(asked_images()).toHaveLength(drawn)
    expect(calls().map(({ cost_nanos }) => cost_nanos)).toEqual([nanos, PICTURE_NANOS, expect.any(Number)])
  },
)

test('a free answer without a picture, left: its key is free again', async () => {
  const key = await gateway.caller('10')
  const leaving = new AbortController()
  const headers = { 'idempotency-key': 'words' }
  const words = {
    send: 'data: {"id":"1","created":1,"choices":[{"index":0,"delta":{"content":"Tides"}}]}\n\n',
  }
  upstream.answer({ headers: { 'content-type': 'text/event-stream' }, steps: [words, 'hang'] })
  const { signal } = leaving
  const response = await call('/v1/responses', bodyOf(FREE), { key, headers, signal })
  await leaveAfter('Tides', response, leaving)
  await gateway.rest()
  upstream.answer(telling([{ says: 'Tides are made by the Moon.' }]))
  expect((await call('/v1/responses', bodyOf(FREE), { key, headers })).status).toBe(200)
})
