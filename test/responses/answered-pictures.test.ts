// Text models that answer with images, through responses: the same item as for a generated image, and back.
import { beforeEach, expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { PROVIDER } from '../support/catalogue.ts'
import { usage } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'
import { events, type Script, whole } from '../support/upstream.ts'
import { eventsOf } from './support.ts'

const MODEL = 'drawing-text'
const { upstream, call, upstreamBody, lastCall } = await fileScene({
  provider: 'cooldown_ms = 0',
  more: modelSection(
    MODEL,
    { [PROVIDER]: 'gemini-2.5-flash-image' },
    { price: 'input = 0.3, output = 2.5, image_output = 30' },
  ),
})
const PICTURE = 'iVBORw0KGgo='
const SIGNATURE = Buffer.from('signed by the provider').toString('base64')
const USAGE = usage(10, 1_290, { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }] })
/** 10 tokens of input, 1,290 of an image. */
const COST_NANOS = 10 * 300 + 1_290 * 30_000
const TEXT = { text: 'Here it is.' }
const IMAGE = { inlineData: { mimeType: 'image/png', data: PICTURE }, thoughtSignature: SIGNATURE }
const chunk = (parts: object[], rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
})
const STOP = { finishReason: 'STOP' }
const script: Script = ({ path }) =>
  path.includes(':stream')
    ? events([chunk([TEXT]), chunk([IMAGE]), { ...chunk([{ text: '' }], STOP), usageMetadata: USAGE }])
    : whole({ ...chunk([TEXT, IMAGE], STOP), usageMetadata: USAGE })
beforeEach(() => upstream.answer(script))

const post = (body: object) => call('/v1/responses', { model: MODEL, ...body })
async function generate(stream: boolean): Promise<{ response: JsonObject; events: JsonObject[] }> {
  const answer = await post({ input: 'Draw a red house.', stream })
  if (!stream) return { response: (await answer.json()) as JsonObject, events: [] }
  const all = eventsOf(await answer.text())
  return { response: objectIn(all.at(-1)?.response), events: all }
}

test.each([false, true])('the image is one item, charged by tokens; streamed: %p', async (stream) => {
  const { response, events: all } = await generate(stream)
  const output = objectsIn(response.output)
  expect(output.map(({ type }) => type)).toEqual(['message', 'reasoning', 'image_generation_call'])
  expect(output.at(-1)).toMatchObject({ status: 'completed', result: PICTURE, output_format: 'png' })
  expect((await lastCall()).cost_nanos).toBe(COST_NANOS)
  if (!stream) return
  expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, index) => index))
  expect(all.filter(({ output_index }) => output_index === 2).map(({ type }) => type)).toEqual([
    'response.output_item.added',
    'response.image_generation_call.in_progress',
    'response.image_generation_call.completed',
    'response.output_item.done',
  ])
})

test.each([
  [
    'sent back',
    async ({ output }: JsonObject) => ({
      input: [...objectsIn(output), { role: 'user', content: 'Bluer.' }],
    }),
  ],
  ['continued', async ({ id = null }: JsonObject) => ({ previous_response_id: id, input: 'Bluer.' })],
])('an image that is %s reaches its model unchanged, with its signature', async (_, more) => {
  const { response } = await generate(false)
  expect((await post(await more(response))).status).toBe(200)
  const contents = objectsIn(upstreamBody().contents)
  const parts = contents.filter(({ role }) => role === 'model').flatMap((turn) => objectsIn(turn.parts))
  expect(parts).toContainEqual(IMAGE)
})
