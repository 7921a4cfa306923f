// spec.md, Image request fields, Image edit request and Image compose request, with the size row of Limits: each field's values.
import { describe, expect, test } from 'bun:test'
import { expectRefused, type Refusal, storedIn } from '../support/image-refusals.ts'
import {
  COMPOSE,
  compose,
  EDITS,
  editForm,
  GENERATIONS,
  generation,
  imagesIn,
  imagesScene,
  LISTED,
  PNG,
  postForm,
} from './support.ts'

const { gateway } = await imagesScene()

const bad = (param: string): Refusal => [400, 'invalid_request', param]
const EDIT_BY = { generation_id: crypto.randomUUID() }

/** Invalid values of the fields that all three endpoints have. */
const REFUSED: readonly (readonly [row: string, fields: object, refusal: Refusal])[] = [
  ['model: required', { model: undefined }, bad('model')],
  ['model: a string', { model: 7 }, bad('model')],
  ['model: not empty', { model: '' }, bad('model')],
  ['prompt: required', { prompt: undefined }, bad('prompt')],
  ['prompt: empty is rejected', { prompt: '' }, bad('prompt')],
  ['prompt: only white space is rejected', { prompt: ' \n\t' }, bad('prompt')],
  ['prompt: a string', { prompt: ['a house'] }, bad('prompt')],
  ['prompt: max 32000 characters', { prompt: 'x'.repeat(32_001) }, bad('prompt')],
  ['n: integer', { n: 1.5 }, bad('n')],
  ['n: not a text in JSON', { n: '1' }, bad('n')],
  ['n: at least 1', { n: 0 }, bad('n')],
  ['n: not negative', { n: -1 }, bad('n')],
  ['n: above the model maximum', { n: 5 }, bad('n')],
  ['size: text words (big)', { size: 'big' }, bad('size')],
  ['size: text words (large)', { size: 'large' }, bad('size')],
  ['size: spaces inside', { size: '1024 x 1024' }, bad('size')],
  ['size: an upper-case X', { size: '1024X1024' }, bad('size')],
  ['size: non-strings', { size: 1024 }, bad('size')],
  ['size: overlong values', { size: '100000000x1000000' }, bad('size')],
  ['size: one number', { size: '1024' }, bad('size')],
  ['size: a side of 0', { size: '0x1024' }, bad('size')],
  ['size: empty', { size: '' }, bad('size')],
  ['quality: auto, high, medium, low', { quality: 'hd' }, bad('quality')],
  ['quality: a string', { quality: 1 }, bad('quality')],
  ['background: auto, transparent, opaque', { background: 'blue' }, bad('background')],
  ['response_format: b64_json or url', { response_format: 'file' }, bad('response_format')],
  ['aspect_ratio: WIDTH:HEIGHT', { aspect_ratio: '16/9' }, bad('aspect_ratio')],
  ['aspect_ratio: a side of 0', { aspect_ratio: '0:1' }, bad('aspect_ratio')],
  [
    'aspect_ratio: not another than that of the size',
    { size: '64x64', aspect_ratio: '16:9' },
    bad('aspect_ratio'),
  ],
  ['an unknown field', { colour: 'red' }, bad('colour')],
]

const ENDPOINTS = [
  ['generations', GENERATIONS, generation()],
  ['edits, JSON', EDITS, { ...generation(), ...EDIT_BY }],
  ['compose', COMPOSE, compose()],
] as const

describe.each(ENDPOINTS)('%s refuses', (_name, path, usual) => {
  test.each(REFUSED)('%s', async (_row, fields, refusal) => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    const response = await gateway.call(path, { ...usual, ...fields }, { key })
    await expectRefused(gateway, before, response, refusal)
  })

  test.each([
    ['empty', ''],
    ['not JSON', '{'],
    ['an array', '[]'],
    ['a text', '"prompt"'],
  ])('a body that is %s', async (_row, body) => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await gateway.call(path, body, { key }), [400, 'invalid_request'])
  })
})

describe('fields of single endpoints', () => {
  const rows: readonly (readonly [row: string, path: string, body: object, refusal: Refusal])[] = [
    [
      'output_format: png, jpeg, webp',
      GENERATIONS,
      generation({ output_format: 'gif' }),
      bad('output_format'),
    ],
    [
      'output_format: not a field of compose',
      COMPOSE,
      compose({ output_format: 'png' }),
      bad('output_format'),
    ],
    [
      'jpeg with transparent',
      GENERATIONS,
      generation({ output_format: 'jpeg', background: 'transparent' }),
      bad('background'),
    ],
    ['n: the maximum is the model’s own', GENERATIONS, generation({ model: LISTED, n: 2 }), bad('n')],
    ['edits: neither image_key nor generation_id', EDITS, generation(), bad('image_key')],
    ['edits: both', EDITS, generation({ ...EDIT_BY, image_key: 'files/1/x' }), bad('image_key')],
    ['edits: image_key a string', EDITS, generation({ image_key: 7 }), bad('image_key')],
    ['edits: generation_id a string', EDITS, generation({ generation_id: 7 }), bad('generation_id')],
    ['compose: no array given', COMPOSE, generation(), [400, 'invalid_source']],
    [
      'compose: empty arrays',
      COMPOSE,
      generation({ image_keys: [], image_urls: [] }),
      [400, 'invalid_source'],
    ],
    [
      'compose: more than 3, over the arrays',
      COMPOSE,
      compose({ image_keys: ['a', 'b'], generation_ids: ['c'] }),
      [400, 'invalid_source'],
    ],
    ['compose: an array of strings', COMPOSE, compose({ image_urls: [7] }), bad('image_urls[0]')],
    ['compose: not a bare string', COMPOSE, compose({ image_urls: 'https://a.b/c.png' }), bad('image_urls')],
  ]
  test.each(rows)('%s', async (_row, path, body, refusal) => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await gateway.call(path, body, { key }), refusal)
  })
})

describe('edits, multipart, refuse', () => {
  const rows: readonly (readonly [row: string, fields: Record<string, string | Blob>, refusal: Refusal])[] = [
    ['image: required', { image: '' }, bad('image')],
    ['image: a file, not text', { image: 'a text' }, bad('image')],
    ['model: required', { model: '' }, bad('model')],
    ['prompt: required', { prompt: '' }, bad('prompt')],
    ['n: number as text', { n: 'two' }, bad('n')],
    ['n: above the model maximum', { n: '5' }, bad('n')],
    ['size: a bad one', { size: 'big' }, bad('size')],
    ['quality: a bad one', { quality: 'hd' }, bad('quality')],
    ['an unknown field', { colour: 'red' }, bad('colour')],
    ['mask: a PNG', { mask: new File(['x'], 'mask.png') }, bad('mask')],
    ['mask: a file, not text', { mask: 'a text' }, bad('mask')],
    ['another file', { sketch: new File(['x'], 'sketch.png') }, bad('sketch')],
    [
      'the same image twice',
      { 'image[]': new File([PNG], 'again.png') },
      [400, 'duplicate_reference', 'image'],
    ],
    ['a second file: not an image', { 'image[]': new File(['x'], 'b.png') }, [400, 'IMAGE_TYPE_UNSUPPORTED']],
    ['stream: true or false', { stream: 'yes' }, bad('stream')],
    ['partial_images: 0 to 3', { stream: 'true', partial_images: '4' }, bad('partial_images')],
    [
      'a source that is not an image',
      { image: new File(['%PDF-1.7 and so on'], 'a.png') },
      [400, 'IMAGE_TYPE_UNSUPPORTED'],
    ],
  ]
  test.each(rows)('%s', async (_row, fields, refusal) => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await postForm(gateway, key, editForm(fields)), refusal)
  })

  test('a body that is not a form', async () => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const response = await gateway.call(EDITS, 'no form at all', { key, headers })
    await expectRefused(gateway, before, response, [400, 'invalid_request'])
  })
})

describe('all endpoints accept', () => {
  const rows: readonly (readonly [row: string, fields: object])[] = [
    ['a prompt of 32000 characters', { prompt: 'x'.repeat(32_000) }],
    ['32000 characters of two UTF-16 units each', { prompt: '🏠'.repeat(32_000) }],
    ['n up to the maximum', { n: 4 }],
    ['size auto', { size: 'auto' }],
    ['response_format url, and b64_json', { response_format: 'url' }],
    ['null for optional fields', { n: null, size: null, quality: null, background: null }],
    ['the field user of OpenAI’s API', { user: 'someone' }],
    ...['auto', 'high', 'medium', 'low'].map((quality) => [`quality ${quality}`, { quality }] as const),
    ...['auto', 'transparent', 'opaque'].map(
      (background) => [`background ${background}`, { background }] as const,
    ),
  ]
  test.each(rows)('%s', async (_row, fields) => {
    const key = await gateway.caller()
    const bodies = [
      [GENERATIONS, generation(fields)],
      [COMPOSE, compose(fields)],
    ] as const
    for (const [path, body] of bodies) {
      const { data } = await imagesIn(await gateway.call(path, body, { key }))
      expect(data[0]?.b64_json).toMatch(/^[A-Za-z0-9+/]+=*$/)
    }
    await gateway.rest()
  })

  test('a form whose n is digits', async () => {
    const key = await gateway.caller()
    const answer = await imagesIn(
      await postForm(gateway, key, editForm({ n: '2', size: '64x64', quality: 'high' })),
    )
    expect(answer.data).toHaveLength(2)
  })
})
