// Tests of simulated pictures in both APIs: prompt, shape and reference pictures determine them.
import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { BLOCKING_WORD } from './answer.ts'
import { createSimulator } from './index.ts'

const simulator = createSimulator()

const generate = (body: object, key = 'key') =>
  simulator.fetch(
    new Request('http://provider.invalid/v1/images/generations', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-image', prompt: 'a red house', ...body }),
    }),
  )

function edit(images: readonly Uint8Array[], fields: Record<string, string> = {}): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'gpt-image', prompt: 'a red house', ...fields }))
    form.set(name, value)
  for (const bytes of images) form.append('image[]', new File([new Uint8Array(bytes)], 'a.png'))
  return simulator.fetch(
    new Request('http://provider.invalid/v1/images/edits', { method: 'POST', body: form }),
  )
}

async function picturesIn(response: Response): Promise<Buffer[]> {
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as { data: { b64_json: string }[] }
  return data.map(({ b64_json }) => Buffer.from(b64_json, 'base64'))
}

const only = async (response: Promise<Response>): Promise<Buffer> => {
  const [picture] = await picturesIn(await response)
  if (!picture) throw new Error('there is no picture')
  return picture
}

/** A picture of one colour, which is easy to find again. */
const plain = (background: string) =>
  sharp({ create: { width: 40, height: 40, channels: 3, background } })
    .png()
    .toBuffer()

/** Whether a picture contains about this colour. */
async function hasColour(
  picture: Buffer,
  [red, green, blue]: readonly [number, number, number],
): Promise<boolean> {
  const { data } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at += 3) {
    const far = [red - (data[at] ?? 0), green - (data[at + 1] ?? 0), blue - (data[at + 2] ?? 0)].map(Math.abs)
    if (Math.max(...far) < 6) return true
  }
  return false
}

describe("OpenAI's images API", () => {
  test('draws the requested number of pictures in the requested size', async () => {
    const pictures = await picturesIn(await generate({ size: '320x200', n: 2 }))
    const sizes = await Promise.all(pictures.map((picture) => sharp(picture).metadata()))
    expect(sizes.map(({ width, height, format }) => [width, height, format])).toEqual([
      [320, 200, 'png'],
      [320, 200, 'png'],
    ])
  })

  test('the same prompt gives the same picture, another prompt another one', async () => {
    const ask = (prompt: string) => only(generate({ prompt, size: '128x128' }))
    expect(await ask('a red house')).toEqual(await ask('a red house'))
    expect(await ask('a red house')).not.toEqual(await ask('a blue house'))
  })

  test('the colour that the prompt names is in the picture', async () => {
    expect(await hasColour(await only(generate({ size: '128x128' })), [196, 58, 49])).toBe(true)
    expect(
      await hasColour(await only(generate({ prompt: 'a blue house', size: '128x128' })), [196, 58, 49]),
    ).toBe(false)
  })

  test('includes one image with a tint, and several unchanged', async () => {
    const [lime, cyan] = [await plain('#00ff00'), await plain('#00ffff')]
    const tinted = await only(edit([lime], { size: '128x128' }))
    expect(await hasColour(tinted, [69, 186, 17])).toBe(true)
    const both = await only(edit([lime, cyan], { size: '128x128' }))
    expect(await hasColour(both, [0, 255, 0])).toBe(true)
    expect(await hasColour(both, [0, 255, 255])).toBe(true)
  })

  test('leaves out an image that cannot be decoded', async () => {
    expect((await only(edit([Buffer.from('no image')], { size: '64x64' }))).length).toBeGreaterThan(50)
  })

  test.each([
    ['without a prompt', { prompt: '' }, 'prompt'],
    ['with too many', { n: 11 }, 'n'],
    ['with a word for a size', { size: 'large' }, 'size'],
    ['in an unknown quality', { quality: 'hd' }, 'quality'],
    ['in an unknown format', { output_format: 'gif' }, 'output_format'],
  ])('refuses a request %s', async (_row, body, param) => {
    const response = await generate(body)
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
  })

  test('refuses an edit without an image', async () => {
    expect((await edit([])).status).toBe(400)
  })

  test('refuses a bad key and a blocked prompt', async () => {
    expect((await generate({}, 'bad-key')).status).toBe(401)
    const blocked = await generate({ prompt: `a ${BLOCKING_WORD}` })
    expect([blocked.status, await blocked.json()]).toMatchObject([
      400,
      { error: { code: 'moderation_blocked' } },
    ])
  })
})

describe('Gemini’s image models', () => {
  test('show the images of the prompt', async () => {
    const data = (await plain('#00ffff')).toString('base64')
    const parts = [
      { text: 'both' },
      { inlineData: { mimeType: 'image/png', data } },
      { inlineData: { mimeType: 'image/png', data: (await plain('#00ff00')).toString('base64') } },
    ]
    const response = await simulator.fetch(
      new Request('http://provider.invalid/v1beta/models/image:generateContent', {
        method: 'POST',
        body: JSON.stringify({
          contents: [{ role: 'user', parts }],
          generationConfig: { imageConfig: { aspectRatio: '2:1' } },
        }),
      }),
    )
    const answer = (await response.json()) as {
      candidates: { content: { parts: { inlineData?: { data: string } }[] } }[]
    }
    const base64 =
      answer.candidates[0]?.content.parts.find(({ inlineData }) => inlineData)?.inlineData?.data ?? ''
    const picture = Buffer.from(base64, 'base64')
    expect(await hasColour(picture, [0, 255, 255])).toBe(true)
    expect(await sharp(picture).metadata()).toMatchObject({ width: 512, height: 256 })
  })
})

describe("a stream of OpenAI's images API", () => {
  const eventsOf = async (response: Response) => {
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    return (await response.text())
      .split('\n\n')
      .filter((record) => record !== '')
      .map((record) => {
        const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(record) ?? []
        const event = JSON.parse(data ?? '') as { type: string; b64_json: string; usage?: object }
        expect(event.type).toBe(name ?? '')
        return event
      })
  }
  const stream = { stream: true, size: '64x64' }

  test('sends partial images before the picture, and bills each', async () => {
    const events = await eventsOf(await generate({ ...stream, partial_images: 2 }))
    expect(events).toMatchObject([
      { type: 'image_generation.partial_image', partial_image_index: 0, size: '64x64' },
      { type: 'image_generation.partial_image', partial_image_index: 1, output_format: 'png' },
      { type: 'image_generation.completed', usage: { output_tokens: 1_056 + 2 * 100 } },
    ])
    for (const { b64_json } of events)
      expect((await sharp(Buffer.from(b64_json, 'base64')).metadata()).width).toBe(64)
    const [whole] = await picturesIn(await generate({ size: '64x64' }))
    expect(events.at(-1)?.b64_json).toBe(whole?.toString('base64') ?? '')
  })

  test('without partial images is one event', async () => {
    const [event, ...more] = await eventsOf(await generate(stream))
    expect([event?.type, more]).toEqual(['image_generation.completed', []])
  })

  test('of an edit, requested by a form', async () => {
    const response = await edit([await plain('red')], { stream: 'true', partial_images: '1', size: '64x64' })
    expect((await eventsOf(response)).map(({ type }) => type)).toEqual([
      'image_edit.partial_image',
      'image_edit.completed',
    ])
  })

  test('ends with an error if the model’s name says so', async () => {
    const text = await (await generate({ ...stream, model: 'gpt-image-error-1', partial_images: 3 })).text()
    expect(text).toContain('event: image_generation.partial_image\n')
    expect(text).toMatch(/event: error\ndata: \{"error":/)
  })

  test('refuses more than three partial images', async () => {
    expect((await generate({ ...stream, partial_images: 4 })).status).toBe(400)
  })
})
