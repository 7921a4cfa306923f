// What the tool `image_generation` says of its pictures besides their shape: asked of providers, and priced, as by the image endpoints.
import { beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type JsonObject, objectIn } from '../../src/protocols/wire/json.ts'
import { dataUri, PNG } from '../images/support.ts'
import { modelSection } from '../support/sections.ts'
import {
  draw,
  MODELS,
  PAINTER,
  PICTURE_NANOS,
  pictureScene,
  say,
  TURN_NANOS,
  telling,
} from './picture-scene.ts'

const GPT = 'gpt-painter'
const PLAIN = 'plain-painter'
const FIDELITY_NANOS = 30_000_000
const { gateway, upstream, call, asked_images, asked_texts, counts, expectCounts } = await pictureScene(`
${modelSection(GPT, { painters: 'gpt-image-1' }, { kind: 'image', price: 'per_image = 0.05, high_fidelity = 0.03' })}
${modelSection(PLAIN, { painters: 'dall-e-3' }, { kind: 'image', price: 'per_image = 0.05, high_fidelity = 0.03' })}
`)

/** A caller of their own for each test: the images' rate is an account's. */
let key = ''
let first_call = 0
beforeEach(async () => {
  key = await gateway.caller('10')
  first_call = gateway.rows().calls.length
})

const IMAGE = { type: 'input_image', image_url: dataUri(PNG), detail: 'auto' }
const bodyOf = (tool: object, more: object = {}) => ({
  model: MODELS.chat,
  input: [{ role: 'user', content: [IMAGE, { type: 'input_text', text: 'A cat.' }] }],
  tools: [{ type: 'image_generation', model: GPT, ...tool }],
  ...more,
})
const pictureOf = async (tool: object) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}v1`, maxRetries: 0 })
  const body = bodyOf(tool) as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming
  const { output } = await client.responses.create(body)
  return output.find(({ type }) => type === 'image_generation_call')
}
const costs = async () => (await gateway.atRest()).calls.slice(first_call).map(({ cost_nanos }) => cost_nanos)

const ALL = { output_format: 'jpeg', output_compression: 40, input_fidelity: 'high', moderation: 'low' }

test('a picture drawn anew: compressed and moderated as asked; fidelity to nothing is neither asked nor charged', async () => {
  expect(await pictureOf(ALL)).toMatchObject({ status: 'completed', output_format: 'jpeg' })
  const sent: JsonObject = JSON.parse(asked_images().at(-1)?.body.toString() ?? '')
  expect(sent).toMatchObject({ output_format: 'jpeg', output_compression: 40, moderation: 'low' })
  expect(sent).not.toHaveProperty('input_fidelity')
  expect(await costs()).toEqual([TURN_NANOS, PICTURE_NANOS, TURN_NANOS])
})

test.each([
  ['high', PICTURE_NANOS + FIDELITY_NANOS],
  ['low', PICTURE_NANOS],
])(
  'an edit: compressed, in %s fidelity, for its price; edits have no moderation',
  async (input_fidelity, nanos) => {
    upstream.answer(telling([draw('blue', { action: 'edit' }), say('Blue.')]))
    expect(await pictureOf({ ...ALL, input_fidelity })).toMatchObject({ status: 'completed', action: 'edit' })
    const sent = asked_images().at(-1)?.body.toString('latin1') ?? ''
    const fieldOf = (name: string) => new RegExp(`name="${name}"\r\n\r\n([^\r]*)`).exec(sent)?.[1]
    expect(['input_fidelity', 'output_compression', 'moderation'].map(fieldOf)).toEqual([
      input_fidelity,
      '40',
      undefined,
    ])
    expect(await costs()).toEqual([TURN_NANOS, nanos, TURN_NANOS])
  },
)

test('null is absent, and the defaults go to every image model', async () => {
  const tool = { model: PLAIN, output_compression: 100, input_fidelity: null, moderation: 'auto' }
  expect(await pictureOf(tool)).toMatchObject({ status: 'completed', output_format: 'png' })
})

describe('refused before the model is asked, and nothing held', () => {
  test.each([
    ['a PNG is not compressed', { output_compression: 40 }, 'output_compression'],
    [
      'a compression over 100',
      { output_format: 'webp', output_compression: 101 },
      'tools[0].output_compression',
    ],
    ['a compression that is no number', { output_compression: '40' }, 'tools[0].output_compression'],
    ['a fidelity that there is not', { input_fidelity: 'best' }, 'tools[0].input_fidelity'],
    ['a moderation that there is not', { moderation: 'off' }, 'tools[0].moderation'],
    ['a fidelity without a price', { model: PAINTER, input_fidelity: 'high' }, 'input_fidelity'],
    ['a fidelity that the model does not take', { model: PLAIN, input_fidelity: 'high' }, 'input_fidelity'],
    ['a moderation that the model does not take', { model: PLAIN, moderation: 'low' }, 'moderation'],
  ])('%s', async (_, tool, param) => {
    for (const stream of [false, true]) {
      const before = counts()
      const response = await call('/v1/responses', bodyOf(tool, { stream }), { key })
      const { error } = (await response.json()) as JsonObject
      expect([response.status, objectIn(error).param]).toEqual([400, param])
      await expectCounts(before)
    }
    expect(asked_texts()).toEqual([])
  })
})

test('who has no balance is told of that as by a call without the tool', async () => {
  key = await gateway.caller('0')
  expect((await call('/v1/responses', bodyOf(ALL), { key })).status).toBe(402)
  expect([asked_texts(), asked_images()]).toEqual([[], []])
})
