// Images over OpenAI's images API: the requests to each family of models, and the meaning of answers and refusals.
import { describe, expect, test } from 'bun:test'
import type { ImageRequest } from '../../../src/protocols/images.ts'
import { openaiImages } from '../../../src/protocols/openai/images.ts'
import { imageRequest } from '../image-request.ts'

const encode = (rest: Partial<ImageRequest>, model = 'gpt-image-1.5') =>
  openaiImages.encode(imageRequest(rest), { model })
const bodyOf = (rest: Partial<ImageRequest>, model?: string) => JSON.parse(String(encode(rest, model).body))

describe('generations', () => {
  test('are sent as JSON, and have only the requested fields', () => {
    const { path, headers } = encode({})
    expect(path).toBe('/images/generations')
    expect(headers).toEqual({ 'content-type': 'application/json' })
    expect(bodyOf({ count: 2 })).toEqual({ model: 'gpt-image-1.5', prompt: 'a cat', n: 2 })
  })

  test('GPT image models get quality, background and output_format, and never response_format', () => {
    expect(bodyOf({ quality: 'low', background: 'opaque', output_format: 'webp' })).toEqual({
      model: 'gpt-image-1.5',
      prompt: 'a cat',
      n: 1,
      quality: 'low',
      background: 'opaque',
      output_format: 'webp',
    })
  })

  test('other servers are asked for base64 and for the exact size', () => {
    const size = { width: 640, height: 480 }
    expect(
      bodyOf({ size, quality: 'low', aspect_ratio: { width: 4, height: 3 } }, 'stable-diffusion-3'),
    ).toEqual({
      model: 'stable-diffusion-3',
      prompt: 'a cat',
      n: 1,
      size: '640x480',
      response_format: 'b64_json',
    })
  })

  test.each([
    ['gpt-image-1.5', 1024, 1024, '1024x1024'],
    ['gpt-image-1.5', 2048, 2048, '1024x1024'],
    ['gpt-image-1.5', 1792, 1024, '1536x1024'],
    ['gpt-image-1.5', 64, 4096, '1024x1536'],
    ['chatgpt-image-latest', 1920, 1080, '1536x1024'],
    ['gpt-image-2', 1536, 864, '1536x864'],
    ['gpt-image-2', 1500, 864, '1536x1024'],
    ['gpt-image-2.5-flare', 3840, 2160, '3840x2160'],
    ['gpt-image-2', 3856, 2160, '1536x1024'],
    ['gpt-image-2', 2048, 512, '1536x1024'],
    ['gpt-image-2', 256, 256, '1024x1024'],
  ])('%s for %ix%i gets the size %s', (model, width, height, size) => {
    expect(bodyOf({ size: { width, height } }, model).size).toBe(size)
  })

  test.each([
    ['gpt-image-1.5', { quality: 'high', output_format: 'webp' }, 10],
    ['stable-diffusion-3', { response_format: 'b64_json' }, 1],
  ])('a deployment gets the fields of its generation %s', (generation, fields, max_images) => {
    const deployment = { model: 'our-pictures', generation }
    const request = imageRequest({ quality: 'high', output_format: 'webp' })
    expect(JSON.parse(String(openaiImages.encode(request, deployment).body))).toEqual({
      model: 'our-pictures',
      prompt: 'a cat',
      n: 1,
      ...fields,
    })
    expect(openaiImages.maxPerRequest(deployment)).toBe(max_images)
  })

  test('a ratio becomes the nearest size', () => {
    expect(bodyOf({ aspect_ratio: { width: 9, height: 16 } }).size).toBe('1024x1536')
  })

  test('the maximum number of images in a request', () => {
    expect(openaiImages.maxPerRequest({ model: 'gpt-image-2' })).toBe(10)
    expect(openaiImages.maxPerRequest({ model: 'some-other' })).toBe(1)
  })
})

describe('edits', () => {
  const png = { bytes: Buffer.from([1, 2, 3, 13, 10, 45, 45]), mime: 'image/png' }
  const webp = { bytes: Buffer.from('webp'), mime: 'image/webp' }

  async function formOf(rest: Partial<ImageRequest>) {
    const { path, headers, body } = encode(rest)
    expect(path).toBe('/images/edits')
    const init = { headers: { 'content-type': headers['content-type'] ?? '' } }
    return new Response(body as Uint8Array<ArrayBuffer>, init).formData()
  }

  test('one image is sent as `image`', async () => {
    const form = await formOf({ references: [png], size: { width: 512, height: 512 } })
    expect([...form.keys()]).toEqual(['model', 'prompt', 'n', 'size', 'image'])
    const image = form.get('image') as unknown as File
    expect([image.type, image.name]).toEqual(['image/png', '1.png'])
    expect(Buffer.from(await image.arrayBuffer())).toEqual(png.bytes)
  })

  test('several images are sent as `image[]`, in their order', async () => {
    const images = (await formOf({ references: [png, webp] })).getAll('image[]') as unknown as File[]
    expect(images.map(({ type }) => type)).toEqual(['image/png', 'image/webp'])
  })

  test('a prompt with line ends and quotes stays unchanged', async () => {
    const prompt = 'a "cat"\r\n--tollgate\r\nContent-Disposition: form-data; name="n"\r\n\r\n9'
    const form = await formOf({ prompt, references: [png] })
    expect([form.get('prompt'), form.get('n')]).toEqual([prompt, '1'])
  })
})

describe('an answer', () => {
  test('has its images and their revised prompts', () => {
    const data = [{ b64_json: 'ONE', revised_prompt: 'a fine cat' }, { b64_json: 'TWO' }]
    expect(openaiImages.decode({ created: 1, data })).toEqual({
      images: [
        { base64: 'ONE', revised_prompt: 'a fine cat' },
        { base64: 'TWO', revised_prompt: null },
      ],
      usage: undefined,
    })
  })

  test.each([
    ['no data', {}],
    ['an empty list', { data: [] }],
    ['URLs only', { data: [{ url: 'https://images.example/1.png' }] }],
    ['an empty image', { data: [{ b64_json: '' }] }],
  ])('with %s has no image', (_row, answer) => {
    expect(openaiImages.decode(answer)).toEqual({ refusal: 'no_image_generated' })
  })
})

describe('a refusal', () => {
  const refusal = (status: number, error: object) =>
    openaiImages.readFailure(status, new Headers(), JSON.stringify({ error: { message: 'no', ...error } }))

  test.each(['moderation_blocked', 'content_policy_violation', 'content_filter', 'contentFilter'])(
    'with code %s is moderation: the request is at fault',
    (code) => {
      expect(refusal(400, { code })).toMatchObject({
        failure_class: 'bad_request',
        code: 'content_policy_violation',
      })
    },
  )
  test('of the size has its own code', () => {
    expect(refusal(400, { param: 'size' })).toMatchObject({
      failure_class: 'bad_request',
      code: 'unsupported_size',
    })
  })
  test.each([
    [401, 'bad_key'],
    [429, 'rate_limited'],
    [500, 'upstream_error'],
  ] as const)('with status %i is as in chat completions: %s', (status, failure_class) => {
    const read = refusal(status, {})
    expect([read.failure_class, read.code]).toEqual([failure_class, undefined])
  })
})
