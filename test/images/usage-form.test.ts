// The usage of image answers in the whole form of OpenAI's type, however the model is priced: typed clients accept no other.
import { describe, expect, test } from 'bun:test'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { PROVIDER } from '../support/catalogue.ts'
import { modelSection } from '../support/sections.ts'
import { stream, whole } from '../support/upstream.ts'
import { completed, eventsIn, partial } from './partials-support.ts'
import {
  COMPOSE,
  compose,
  dataUri,
  draws,
  EDITS,
  editForm,
  GENERATIONS,
  generated,
  generation,
  imagesScene,
  JPEG,
  OVER_OPENAI,
  PARTIAL,
  PICTURE,
  PNG,
  postForm,
  sends,
} from './support.ts'

const BY_TOKENS = 'test-usage-by-tokens'
const { gateway, upstream } = await imagesScene(
  modelSection(
    BY_TOKENS,
    { [PROVIDER]: 'gemini-nano-banana-2.1' },
    { kind: 'image', price: 'input = 1.5, output = 7.5, image_output = 30', more: 'max_n_per_request = 4' },
  ),
)

const Count = Type.Integer({ minimum: 0 })
const Details = Type.Object({ text_tokens: Count, image_tokens: Count })
/** The form of async-openai's ImageGenUsage (src/types/images/image.rs) and openai's ImagesResponse.Usage. */
const Usage = Type.Object({
  input_tokens: Count,
  input_tokens_details: Details,
  output_tokens: Count,
  output_tokens_details: Details,
  total_tokens: Count,
})
const Answer = Type.Object({
  created: Count,
  data: Type.Array(Type.Object({ b64_json: Type.String() }), { minItems: 1 }),
  usage: Usage,
})
/** async-openai's ImageGenCompletedEvent (src/types/images/stream.rs): nothing in it is optional. */
const Completed = Type.Object({
  b64_json: Type.String(),
  created_at: Count,
  size: Type.String(),
  quality: Type.String(),
  background: Type.String(),
  output_format: Type.Union([Type.Literal('png'), Type.Literal('jpeg'), Type.Literal('webp')]),
  usage: Usage,
})

function validate<S extends TSchema>(schema: S, value: unknown): Static<S> {
  expect([...Value.Errors(schema, value)].map(({ path, message }) => `${path}: ${message}`)).toEqual([])
  return value as Static<S>
}

const ZEROS = {
  input_tokens: 0,
  input_tokens_details: { text_tokens: 0, image_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { text_tokens: 0, image_tokens: 0 },
  total_tokens: 0,
}

const json = (path: string, body: object) => (key: string) => gateway.call(path, body, { key })

const PRICED_BY_IMAGE: readonly (readonly [name: string, call: (key: string) => Promise<Response>])[] = [
  ['generations', json(GENERATIONS, generation())],
  ['generations of two', json(GENERATIONS, generation({ n: 2 }))],
  ['generations over OpenAI', json(GENERATIONS, generation({ model: OVER_OPENAI }))],
  [
    'edits in JSON',
    async (key) => json(EDITS, generation({ generation_id: await generated(gateway, key) }))(key),
  ],
  ['edits as a form', (key) => postForm(gateway, key, editForm())],
  ['compose', json(COMPOSE, compose({ image_urls: [dataUri(PNG), dataUri(JPEG, 'image/jpeg')] }))],
]

describe('priced by image: the usage has all its fields, as zeros', () => {
  test.each(PRICED_BY_IMAGE)('%s', async (name, call) => {
    upstream.answer(name.endsWith('OpenAI') ? sends(PNG) : draws(PNG))
    const { usage, data } = validate(Answer, await (await call(await gateway.caller('10'))).json())
    expect(usage).toEqual({ images: data.length, ...ZEROS } as typeof usage)
  })

  test('streamed: each image has a usage, and the last one has the number of charged images', async () => {
    const body = generation({ n: 2, stream: true })
    const answer = await gateway.call(GENERATIONS, body, { key: await gateway.caller('10') })
    const events = eventsIn(await answer.text()).map((event) => validate(Completed, event))
    expect(events.map(({ usage }) => usage)).toEqual([ZEROS, { images: 2, ...ZEROS }] as (typeof ZEROS)[])
  })

  test('streamed with partial images', async () => {
    upstream.answer(stream(partial(PNG, 0), completed(PNG)))
    const body = generation({ model: PARTIAL, stream: true, partial_images: 1 })
    const answer = await gateway.call(GENERATIONS, body, { key: await gateway.caller('10') })
    const { usage } = validate(Completed, eventsIn(await answer.text()).at(-1))
    expect(usage).toEqual({ images: 1, partial_images: 1, ...ZEROS } as typeof usage)
  })
})

test('priced by tokens, streamed: the usages of the images add up to that of the call', async () => {
  const { data } = { data: PNG.toString('base64') }
  upstream.answer(
    whole({
      candidates: [
        { content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1_290, totalTokenCount: 1_300 },
    }),
  )
  const body = generation({ model: BY_TOKENS, n: 2, stream: true })
  const answer = await gateway.call(GENERATIONS, body, { key: await gateway.caller('10') })
  const events = eventsIn(await answer.text()).map((event) => validate(Completed, event))
  expect(events.map(({ usage }) => usage.total_tokens)).toEqual([0, 2_600])
})

test('an answer without images has no usage', async () => {
  upstream.answer(whole({ candidates: [{ content: { parts: [{ text: 'No.' }] }, finishReason: 'STOP' }] }))
  const answer = await gateway.call(GENERATIONS, generation({ model: PICTURE }), {
    key: await gateway.caller('10'),
  })
  const body = (await answer.json()) as object
  expect([answer.status, 'usage' in body]).toEqual([400, false])
})
