// Normalized media of requests: at each place of each protocol, and nowhere else; standard base64 and invalid data stay unchanged.
import { describe, expect, test } from 'bun:test'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { normalizedBody, registeredType } from '../../src/protocols/media-places.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { responses } from '../../src/protocols/openai/responses/index.ts'
import type { CallerProtocol } from '../../src/protocols/protocol.ts'
import { standardBase64 } from '../../src/protocols/wire/byte-string.ts'

const STANDARD = '+/+/+w=='
const URL_SAFE = '-_-_-w'

const inMessages = (block: object) => ({ messages: [{ role: 'user', content: [block] }] })
const base64 = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
const inInput = (...input: object[]) => ({ input })
const inContents = (part: object) => ({ contents: [{ parts: [part] }] })

const PLACES: readonly (readonly [
  place: string,
  protocol: CallerProtocol,
  body: (data: string) => object,
])[] = [
  ['messages: image', anthropic, (data) => inMessages({ type: 'image', source: base64('image/png', data) })],
  [
    'messages: document',
    anthropic,
    (data) => inMessages({ type: 'document', source: base64('application/pdf', data) }),
  ],
  [
    'messages: image in the result of a tool',
    anthropic,
    (data) =>
      inMessages({
        type: 'tool_result',
        tool_use_id: 'a',
        content: [{ type: 'image', source: base64('image/png', data) }],
      }),
  ],
  [
    'messages: image in a document',
    anthropic,
    (data) =>
      inMessages({
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: base64('image/png', data) }] },
      }),
  ],
  [
    'chat: image',
    openai,
    (data) => inMessages({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }),
  ],
  [
    'chat: image as a text',
    openai,
    (data) => inMessages({ type: 'image_url', image_url: `data:image/png;base64,${data}` }),
  ],
  [
    'chat: audio',
    openai,
    (data) => inMessages({ type: 'input_audio', input_audio: { format: 'wav', data } }),
  ],
  [
    'chat: file',
    openai,
    (data) => inMessages({ type: 'file', file: { file_data: `data:application/pdf;base64,${data}` } }),
  ],
  [
    'chat: video',
    openai,
    (data) => inMessages({ type: 'video_url', video_url: { url: `data:video/mp4;base64,${data}` } }),
  ],
  [
    'chat: video as a text',
    openai,
    (data) => inMessages({ type: 'video_url', video_url: `data:video/mp4;base64,${data}` }),
  ],
  [
    'chat: audio by its data URI',
    openai,
    (data) => inMessages({ type: 'audio_url', audio_url: { url: `data:audio/wav;base64,${data}` } }),
  ],
  [
    'chat: picture of an answer',
    openai,
    (data) => ({
      messages: [{ role: 'assistant', images: [{ image_url: { url: `data:image/png;base64,${data}` } }] }],
    }),
  ],
  [
    'responses: image',
    responses,
    (data) => inInput({ content: [{ type: 'input_image', image_url: `data:image/png;base64,${data}` }] }),
  ],
  [
    'responses: image in an object',
    responses,
    (data) =>
      inInput({ content: [{ type: 'input_image', image_url: { url: `data:image/png;base64,${data}` } }] }),
  ],
  [
    'responses: file',
    responses,
    (data) =>
      inInput({ content: [{ type: 'input_file', file_data: `data:application/pdf;base64,${data}` }] }),
  ],
  [
    'responses: audio',
    responses,
    (data) => inInput({ content: [{ type: 'input_audio', input_audio: { format: 'mp3', data } }] }),
  ],
  [
    'responses: image in the output of a tool',
    responses,
    (data) =>
      inInput({
        type: 'function_call_output',
        output: [{ type: 'input_image', image_url: `data:image/png;base64,${data}` }],
      }),
  ],
  [
    'responses: screenshot',
    responses,
    (data) =>
      inInput({
        type: 'computer_call_output',
        output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${data}` },
      }),
  ],
  [
    'responses: picture of an answer',
    responses,
    (data) => inInput({ type: 'image_generation_call', result: data }),
  ],
  [
    'responses: mask',
    responses,
    (data) => ({
      tools: [{ type: 'image_generation', input_image_mask: { image_url: `data:image/png;base64,${data}` } }],
    }),
  ],
  ['native: inlineData', gemini, (data) => inContents({ inlineData: { mimeType: 'image/png', data } })],
  ['native: inline_data', gemini, (data) => inContents({ inline_data: { mime_type: 'audio/wav', data } })],
  [
    'native: one part',
    gemini,
    (data) => ({ contents: [{ parts: { inlineData: { mimeType: 'image/png', data } } }] }),
  ],
  [
    'native: image in the response of a function',
    gemini,
    (data) =>
      inContents({
        functionResponse: {
          name: 'f',
          response: {},
          parts: [{ inlineData: { mimeType: 'image/png', data } }],
        },
      }),
  ],
]

type Body = Parameters<typeof normalizedBody>[0]
const normalize = (body: object, { text }: (typeof PLACES)[number][1]) =>
  normalizedBody(body as Body, text as Parameters<typeof normalizedBody>[1])

describe('each place is normalized', () => {
  test.each(PLACES)('%s', (place, protocol, body) => {
    expect(normalize(body(URL_SAFE), protocol).json).toEqual(body(STANDARD) as Body)
    const standard = body(STANDARD) as Body
    const { json, has_images } = normalize(standard, protocol)
    expect(json).toBe(standard)
    expect(has_images).toBe(
      /image/.test(JSON.stringify(standard)) && !place.endsWith('responses: picture of an answer'),
    )
    const garbage = body('not base64!') as Body
    expect(normalize(garbage, protocol).json).toBe(garbage)
  })
})

describe('each place counts as one medium in the bound and in the estimate', () => {
  /** Places that stay unchanged, since no provider requires another form there. */
  const found = (content: object | object[]) => inMessages({ type: 'web_fetch_tool_result', content })
  const MORE: typeof PLACES = [
    [
      'messages: a document that a tool of the provider found',
      anthropic,
      (data) =>
        found({
          type: 'web_fetch_result',
          content: { type: 'document', source: base64('application/pdf', data) },
        }),
    ],
    [
      'messages: a list of documents that it found',
      anthropic,
      (data) => found([{ type: 'document', source: base64('application/pdf', data) }]),
    ],
  ]
  const data = `iVBORw0KGgo${'A'.repeat(1_333_333)}`
  const limits = { model: 'm', max_tokens: 16, max_output_tokens: 16, input: 'x' }
  test.each([...PLACES, ...MORE])('%s', (_place, protocol, body) => {
    const {
      media = [],
      input_bound_tokens,
      input_tokens,
    } = protocol.text.readRequest({ ...limits, ...body(data) } as Body)
    expect(media).toHaveLength(1)
    expect(input_bound_tokens).toBeLessThan(3_000)
    // A medium that cannot be counted is estimated as a minute of video.
    expect(input_tokens).toBeLessThan(33_000)
  })
})

const OTHERS: readonly (readonly [place: string, protocol: CallerProtocol, body: object])[] = [
  [
    'messages: arguments of a tool',
    anthropic,
    inMessages({ type: 'tool_use', input: { source: base64('image/png', URL_SAFE) } }),
  ],
  ['messages: a text', anthropic, inMessages({ type: 'text', text: `data:image/png;base64,${URL_SAFE}` })],
  [
    'messages: a document of plain text',
    anthropic,
    inMessages({ type: 'document', source: { type: 'text', data: 'a_b-c d' } }),
  ],
  ['messages: a thinking signature', anthropic, inMessages({ type: 'redacted_thinking', data: URL_SAFE })],
  ['chat: a URL', openai, inMessages({ type: 'image_url', image_url: { url: 'https://a-b.example/c_d' } })],
  [
    'chat: arguments of a tool',
    openai,
    { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: URL_SAFE } }] }] },
  ],
  [
    'responses: the result of another item',
    responses,
    inInput({ type: 'mcp_call', result: 'hello_you', output: 'a_b' }),
  ],
  [
    'native: arguments of a function',
    gemini,
    inContents({
      functionCall: { name: 'f', args: { inlineData: { mimeType: 'image/png', data: URL_SAFE } } },
    }),
  ],
  ['native: a signature', gemini, inContents({ text: 'a', thoughtSignature: URL_SAFE })],
]

test.each(OTHERS)('not a medium: %s', (_, protocol, body) => {
  expect(normalize(body, protocol)).toEqual({ json: body as Body, has_images: false })
})

test.each([
  ['-_-_', '+/+/'],
  ['-_-_-w', '+/+/+w=='],
  ['-_-_-w==', '+/+/+w=='],
  ['+/+/+w', '+/+/+w=='],
  ['+/+/\n+w==\n', '+/+/+w=='],
  ['+_+/', '+/+/'],
  ['+/+/+w==', '+/+/+w=='],
  ['', ''],
  ['-', '-'],
  ['not-base64!', 'not-base64!'],
  ['data:image/png;base64,-_-_', 'data:image/png;base64,-_-_'],
])('%j is %j', (text, standard) => {
  expect(standardBase64(text)).toBe(standard)
})

test.each([
  ['image/jpg', 'image/jpeg'],
  ['IMAGE/PNG', 'image/png'],
  [' image/webp ; q=1', 'image/webp'],
  ['image/x-png', 'image/png'],
  ['image/svg+xml', 'image/svg+xml'],
  ['audio/webm;codecs=opus', 'audio/webm;codecs=opus'],
  ['', ''],
])('the type %j is %j', (written, name) => {
  expect(registeredType(written)).toBe(name)
})
