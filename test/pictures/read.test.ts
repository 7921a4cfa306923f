// An image order read from a conversation: how much memory its inline images take.
import { expect, test } from 'bun:test'
import { INLINE_COPIES } from '../../src/calls/kinds/image/order.ts'
import { orderFrom } from '../../src/calls/pictures/read.ts'
import type { ImageModel } from '../../src/domain/catalogue.ts'
import { decodeRequest } from '../../src/protocols/gemini/decode-request.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'

const MODEL = {
  id: 'picture',
  kind: 'image',
  max_n_per_request: 1,
  sizes: undefined,
  price: { variants: [] },
} as unknown as ImageModel

const image = (chars: number) => ({ inlineData: { mimeType: 'image/png', data: 'A'.repeat(chars) } })
const conversation = (...turns: object[]): JsonObject =>
  ({ contents: turns, generationConfig: { responseModalities: ['IMAGE'] } }) as unknown as JsonObject

test('every inline image of every turn counts, once for each copy in memory', () => {
  const request = decodeRequest(
    conversation(
      { role: 'user', parts: [{ text: 'a house' }, image(400)] },
      { role: 'model', parts: [image(80)] },
      { role: 'user', parts: [{ text: 'redder' }, image(8), image(16)] },
    ),
    false,
  )
  expect(orderFrom(request, MODEL, []).kept_bytes).toBe(INLINE_COPIES * (400 + 80 + 8 + 16))
})

test('text alone reserves no memory', () => {
  const request = decodeRequest(conversation({ role: 'user', parts: [{ text: 'a house' }] }), false)
  expect(orderFrom(request, MODEL, []).kept_bytes).toBe(0)
})
