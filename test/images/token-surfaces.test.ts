// Images by tokens on every surface that generates them: the same usage report has the same charge, to the nano-dollar.
import { beforeEach, describe, expect, test } from 'bun:test'
import { inline, USER } from '../pictures/support.ts'
import { wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { type Answer, whole } from '../support/upstream.ts'
import { COMPOSE, dataUri, EDITS, editForm, GENERATIONS, PNG, postForm } from './support.ts'

const MODEL = 'by-tokens'
/** USD per million: text in 5, image in 8, image out 30; its provider costs half. */
const { gateway, upstream } = await fileScene({
  more: (url) => `
${providerSection('painters', 'openai', `${url}/painters/v1`, 'cooldown_ms = 0')}
[[models]]
id = "${MODEL}"
kind = "image"
price = { input = 5, image_input = 8, image_output = 30 }
routes = [{ provider = "painters", model = "gpt-image-2.6-flare", cost = { input = 2.5, image_input = 4, image_output = 15 } }]
edit_images = true
`,
})

/** Each test has a caller of its own, because the rate of images is counted by account. */
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
const post = (path: string, body: object) => gateway.call(path, { model: MODEL, ...body }, { key })
const image = { type: 'image_url', image_url: { url: dataUri(PNG) } }
const chat = (...content: object[]) =>
  post('/v1/chat/completions', {
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }, ...content] }],
  })

type Surface = readonly [surface: string, send: () => Promise<Response>]
const FROM_TEXT: readonly Surface[] = [
  ['generations', () => post(GENERATIONS, { prompt })],
  ['generations, streamed', () => post(GENERATIONS, { prompt, stream: true })],
  ['chat', () => chat()],
  ['native', () => post(wholePath(MODEL), { model: undefined, contents: [USER({ text: prompt })] })],
]
const FROM_AN_IMAGE: readonly Surface[] = [
  ['edits', () => post(EDITS, { prompt, images: [{ image_url: dataUri(PNG) }] })],
  ['edits, multipart', () => postForm(gateway, key, editForm({ model: MODEL, prompt }))],
  ['compose', () => post(COMPOSE, { prompt, image_urls: [dataUri(PNG)] })],
  ['chat', () => chat(image)],
  [
    'native',
    () => post(wholePath(MODEL), { model: undefined, contents: [USER({ text: prompt }, inline(PNG))] }),
  ],
]

describe.each([
  ['from a text', 0, FROM_TEXT],
  ['from an image', IMAGES, FROM_AN_IMAGE],
] as const)('%s', (_, image_tokens, surfaces) => {
  const cost_nanos = TEXT * 5_000 + image_tokens * 8_000 + OUTPUT * 30_000
  test.each(surfaces)('%s', async (_, send) => {
    upstream.answer(answers(image_tokens))
    const answer = await send()
    expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
    await answer.text()
    const { calls, accounts } = await gateway.atRest()
    const of_image = calls.slice(first_call).filter(({ model }) => model === MODEL)
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
    // The maximum of an image, at its highest rate; for an input image 8,192 tokens, and 128 of text around it.
    const min_nanos = 16_384 * 30_000 + (image_tokens > 0 ? 8_320 * 8_000 : 0)
    expect(of_image[0]?.hold_nanos).toBeGreaterThan(min_nanos)
    expect(of_image[0]?.hold_nanos).toBeLessThan(min_nanos + 0.01 * 1e9)
    const paid = calls.slice(first_call).reduce((sum, call) => sum + call.cost_nanos, 0)
    expect(accounts.at(-1)).toMatchObject({ held_nanos: 0, balance_nanos: 10_000_000_000 - paid })
  })
})

test('the hold covers a mask like an input image', async () => {
  upstream.answer(answers(2 * IMAGES))
  const image = { image_url: dataUri(PNG) }
  expect((await post(EDITS, { prompt, images: [image], mask: image })).status).toBe(200)
  const { hold_nanos, cost_nanos } = await gateway.lastCall()
  expect(cost_nanos).toBe(TEXT * 5_000 + 2 * IMAGES * 8_000 + OUTPUT * 30_000)
  expect(hold_nanos).toBeGreaterThan(16_384 * 30_000 + 2 * 8_320 * 8_000)
})
