// Values that no number or text can be made of: JSON objects with members named as the language's own conversions.
import { expect, test } from 'bun:test'
import { strictSchema } from '../../src/protocols/anthropic/schema.ts'
import { fromGeminiSchema } from '../../src/protocols/gemini/schema.ts'
import { PublicEvents } from '../../src/protocols/openai/responses/public-response.ts'
import type { Json } from '../../src/protocols/wire/json.ts'

const STRANGE: Json = { toString: 1, valueOf: 2 }

test.each(['format', 'minItems', 'maxLength', 'type'])(
  "a Gemini schema's %s is passed on as it is",
  (keyword) => {
    expect(fromGeminiSchema({ [keyword]: STRANGE })).toEqual({ [keyword]: STRANGE })
  },
)

test("a strict schema's minItems is passed on as it is", () => {
  expect(strictSchema({ type: 'array', minItems: STRANGE })).toMatchObject({ minItems: STRANGE })
})

test.each(['output_index', 'item'])("an event's %s is shown as the first item's", (field) => {
  const events = new PublicEvents({ call_id: 'req_1', model: 'm', request_fields: {}, issuer: 'i' })
  const event = {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'message', id: 'msg_1' } as Json,
    [field]: field === 'item' ? { type: 'message', id: STRANGE } : STRANGE,
  }
  const first = new PublicEvents({ call_id: 'req_1', model: 'm', request_fields: {}, issuer: 'i' })
  const plain = JSON.parse(first.event(JSON.stringify({ ...event, output_index: 0 })))
  expect(JSON.parse(events.event(JSON.stringify(event))).item.id).toBe(plain.item.id)
})
