// The events of an image that its provider is generating: none may exceed the maximum answer size.
import { expect, test } from 'bun:test'
import { readImageEvents } from '../../src/calls/kinds/image/partials.ts'
import { openaiImages } from '../../src/protocols/openai/images.ts'

const EVENT = 'data: {"type":"image_generation.partial_image","b64_json":"AAAA"}\n\n'
const nextWithin = (limit_bytes: number) =>
  readImageEvents(new Response(EVENT), openaiImages, limit_bytes).next()

test('an event of the maximum size is read, and one that is longer by a byte is refused', async () => {
  expect(await nextWithin(EVENT.length)).toEqual({ partial: 'AAAA' })
  await expect(nextWithin(EVENT.length - 1)).rejects.toThrow('is longer than')
})
