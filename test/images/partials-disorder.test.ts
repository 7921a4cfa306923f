// Disordered streams of partial images, with repeated or invalid events: delivered images, and their charge.
import { afterAll, expect, test } from 'bun:test'
import { type Step, stream } from '../support/upstream.ts'
import {
  completed,
  eventsIn,
  failure,
  generationsOf,
  IMAGE_NANOS,
  kindsOf,
  namedEvent,
  PARTIAL_NANOS,
  PARTIALS_MODEL,
  partial,
  partialsScene,
} from './partials-support.ts'
import { GENERATIONS, PNG } from './support.ts'

const s = await partialsScene()
afterAll(() => s[Symbol.asyncDispose]())

const base64 = PNG.toString('base64')
const PARTIAL = 'partial_image'
const IMAGE = 'completed'
const ended = PNG.subarray(0, PNG.length - 30)

/** Steps as one packet. */
const together = (...steps: Step[]): Step => ({
  send: steps.map((step) => (typeof step === 'object' && 'send' in step ? step.send : '')).join(''),
})

/** The events of the provider, and those of the caller, who pays for each partial image and the image. */
const CASES: readonly (readonly [name: string, steps: Step[], kinds: string[]])[] = [
  ['the image before a partial image', [completed(PNG), partial(PNG, 0)], [IMAGE]],
  [
    'a partial image after the image',
    [together(partial(PNG, 0), completed(PNG), partial(PNG, 1))],
    [PARTIAL, IMAGE],
  ],
  ['the image twice', [together(partial(PNG, 0), completed(PNG), completed(PNG))], [PARTIAL, IMAGE]],
  ['an error after the image', [together(completed(PNG), failure({ message: 'x' }))], [IMAGE]],
  ['silence after the image', [partial(PNG, 0), completed(PNG), 'hang'], [PARTIAL, IMAGE]],
  [
    'more partial images than requested',
    [0, 1, 2, 3].map((at) => partial(PNG, at)).concat(completed(PNG)),
    [PARTIAL, PARTIAL, IMAGE],
  ],
  ['the same index again', [partial(PNG, 7), partial(PNG, 7), completed(PNG)], [PARTIAL, PARTIAL, IMAGE]],
  ['a partial image that ends too early', [partial(ended, 0), completed(PNG)], [IMAGE]],
  [
    'a partial image that is not a text',
    [namedEvent('image_generation.partial_image', { b64_json: 5 }), completed(PNG)],
    [IMAGE],
  ],
  [
    'data that is not a JSON object',
    [{ send: 'data: {{\n\ndata: [1]\n\ndata: null\n\n' }, completed(PNG)],
    [IMAGE],
  ],
  [
    'an error without a shape',
    [partial(PNG, 0), { send: 'event: error\ndata: boom\n\n' }],
    [PARTIAL, 'error'],
  ],
  ['an error that is a text', [partial(PNG, 0), { send: 'data: {"error":"boom"}\n\n' }], [PARTIAL, 'error']],
  ['an image that ends too early', [partial(PNG, 0), completed(ended)], [PARTIAL, 'error']],
  [
    'a cost, an id and a usage of its own',
    [
      namedEvent('image_generation.completed', {
        b64_json: base64,
        cost: '999',
        svc_generation_id: 'x',
        usage: { output_tokens: -1 },
      }),
    ],
    [IMAGE],
  ],
]

test.each(CASES)('%s', async (_, steps, kinds) => {
  s.upstream.answer(stream(...steps))
  const body = { model: PARTIALS_MODEL, prompt: 'a red house', stream: true, partial_images: 2 }
  const events = eventsIn(await (await s.call(GENERATIONS, body)).text())
  expect(kindsOf(events)).toEqual(kinds)
  const partials = kinds.filter((kind) => kind === PARTIAL).length
  const images = kinds.filter((kind) => kind === IMAGE).length
  expect(events.slice(0, partials).map(({ partial_image_index }) => partial_image_index)).toEqual([
    ...Array(partials).keys(),
  ])
  expect(await s.lastCall()).toMatchObject({
    cost_nanos: partials * PARTIAL_NANOS + images * IMAGE_NANOS,
    images,
    outcome: images === 1 ? 'completed' : 'broken',
  })
  const [kept] = generationsOf(s).slice(-1)
  expect(kept?.state).toBe(images === 1 ? 'stored' : 'failed')
  if (images === 1) expect(events.at(-1)).toMatchObject({ svc_generation_id: kept?.uuid })
})
