// Images by tokens on every surface that draws them: with one usage of the provider's the charge is one, to the nano-dollar.
import { beforeEach, describe, expect, test } from 'bun:test'
import { inline, USER } from '../pictures/support.ts'
import { wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { type Answer, whole } from '../support/upstream.ts'
import { COMPOSE, dataUri, EDITS, editForm, GENERATIONS, PNG, postForm } from './support.ts'

const PAINTER = 'by-tokens'
/** USD per million: text in 5, image in 8, image out 30; its provider takes half. */
const { gateway, upstream } = await fileScene({
  more: (url) => `
${providerSection('painters', 'openai', `${url}/painters/v1`, 'cooldown_ms = 0')}
[[models]]
id = "${PAINTER}"
kind = "image"
price = { input = 5, image_input = 8, image_output = 30 }
routes = [{ provider = "painters", model = "gpt-image-2.6-flare", cost = { input = 2.5, image_input = 4, image_output = 15 } }]
edit_images = true
`,
})

/** A caller of their own for each test: the images' rate is an account's. */
let key = ''
let first_call = 0
beforeEach(async () => {
  key = await gateway.caller('10')
  first_call = gateway.rows().calls.length
})

const TEXT = 20
const IMAGES = 300
const OUTPUT = 1_001
const answers = (image_tokens: number): Answer =>
  whole({
    created: 1,
    data: [{ b64_json: PNG.toString('base64') }],
    usage: {
      input_tokens: TEXT + image_tokens,
      input_tokens_details: { text_tokens: TEXT, image_tokens },
      output_tokens: OUTPUT,
      total_tokens: TEXT + image_tokens + OUTPUT,
    },
  })

const prompt = 'a cat'
const post = (path: string, body: object) => gateway.call(path, { model: PAINTER, ...body }, { key })
const seen = { type: 'image_url', image_url: { url: dataUri(PNG) } }
const chat = (...content: object[]) =>
  post('/v1/chat/completions', {
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }, ...content] }],
  })

type Surface = readonly [surface: string, ask: () => Promise<Response>]
const ANEW: readonly Surface[] = [
  ['generations', () => post(GENERATIONS, { prompt })],
  ['generations, streamed', () => post(GENERATIONS, { prompt, stream: true })],
  ['chat', () => chat()],
  ['native', () => post(wholePath(PAINTER), { model: undefined, contents: [USER({ text: prompt })] })],
]
const FROM_AN_IMAGE: readonly Surface[] = [
  ['edits', () => post(EDITS, { prompt, images: [{ image_url: dataUri(PNG) }] })],
  ['edits, multipart', () => postForm(gateway, key, editForm({ model: PAINTER, prompt }))],
  ['compose', () => post(COMPOSE, { prompt, image_urls: [dataUri(PNG)] })],
  ['chat', () => chat(seen)],
  [
    'native',
    () => post(wholePath(PAINTER), { model: undefined, contents: [USER({ text: prompt }, inline(PNG))] }),
  ],
]

describe.each([
  ['drawn anew', 0, ANEW],
  ['from an image', IMAGES, FROM_AN_IMAGE],
] as const)('%s', (_, image_tokens, surfaces) => {
  const cost_nanos = TEXT * 5_000 + image_tokens * 8_000 + OUTPUT * 30_000
  test.each(surfaces)('%s', async (_, ask) => {
    upstream.answer(answers(image_tokens))
    const answer = await ask()
    expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
    await answer.text()
    const { calls, accounts } = await gateway.atRest()
    const of_image = calls.slice(first_call).filter(({ model }) => model === PAINTER)
    expect(of_image).toMatchObject([
      {
        outcome: 'completed',
        cost_nanos,
        provider_cost_nanos: cost_nanos / 2,
        input_tokens: TEXT + image_tokens,
        output_image_tokens: OUTPUT,
        images: 1,
        estimated: 0,
      },
    ])
    // The most of an image, at its highest rate; of one that is read, 8,192 tokens and 128 of text around it.
    const least = 16_384 * 30_000 + (image_tokens > 0 ? 8_320 * 8_000 : 0)
    expect(of_image[0]?.hold_nanos).toBeGreaterThan(least)
    expect(of_image[0]?.hold_nanos).toBeLessThan(least + 0.01 * 1e9)
    const paid = calls.slice(first_call).reduce((sum, call) => sum + call.cost_nanos, 0)
    expect(accounts.at(-1)).toMatchObject({ held_nanos: 0, balance_nanos: 10_000_000_000 - paid })
  })
})

test('a mask is read, too: it is held for as an image is', async () => {
  upstream.answer(answers(2 * IMAGES))
  const image = { image_url: dataUri(PNG) }
  expect((await post(EDITS, { prompt, images: [image], mask: image })).status).toBe(200)
  const { hold_nanos, cost_nanos } = await gateway.lastCall()
  expect(cost_nanos).toBe(TEXT * 5_000 + 2 * IMAGES * 8_000 + OUTPUT * 30_000)
  expect(hold_nanos).toBeGreaterThan(16_384 * 30_000 + 2 * 8_320 * 8_000)
})
