// Native requests (spec.md, "Native generation request"): the facts read before a call is paid, and the refused requests.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../../../src/domain/errors.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUg=='
const body = (...parts: Json[]): JsonObject => ({ contents: [{ role: 'user', parts }] })
const configured = (generationConfig: Json): JsonObject => ({ ...body({ text: 'hi' }), generationConfig })
const image = (mime_type: Json, data: Json = PNG): JsonObject => body({ inline_data: { mime_type, data } })

function refusal(request: JsonObject): GatewayError {
  try {
    gemini.text.readRequest(request)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('was not refused')
}

/** The path of the first part, as refusals name it. */
const PART = 'contents[0].parts[0]'

describe('refused with 400, naming the field', () => {
  const cases: [string, JsonObject, string][] = [
    ['no contents', {}, 'contents'],
    ['contents null', { contents: null }, 'contents'],
    ['contents empty', { contents: [] }, 'contents'],
    ['contents a string', { contents: 'hi' }, 'contents'],
    ['contents an object', { contents: { parts: [] } }, 'contents'],
    ['a content that is a string', { contents: ['hi'] }, 'contents[0]'],
    ['a content without parts', { contents: [{ role: 'user' }] }, 'contents[0].parts'],
    ['parts a string', { contents: [{ parts: 'hi' }] }, 'contents[0].parts'],
    ['the second content at fault', { contents: [{ parts: [] }, null] }, 'contents[1]'],
    ['a part that is a string', body('hi'), PART],
    ['a part that is null', body({ text: 'a' }, null), 'contents[0].parts[1]'],
    ['a text that is a number', body({ text: 5 }), `${PART}.text`],
    ['inlineData a string', body({ inlineData: PNG }), `${PART}.inlineData`],
    ['an image without type', body({ inlineData: { data: PNG } }), `${PART}.inlineData.mimeType`],
    ['a type without slash', image('png'), `${PART}.inline_data.mime_type`],
    ['a type that is a number', image(5), `${PART}.inline_data.mime_type`],
    ['image/gif', image('image/gif'), `${PART}.inline_data.mime_type`],
    ['image/svg+xml', image('image/svg+xml'), `${PART}.inline_data.mime_type`],
    ['image/tiff in capitals', image('IMAGE/TIFF'), `${PART}.inline_data.mime_type`],
    ['data absent', body({ inlineData: { mimeType: 'image/png' } }), `${PART}.inlineData.data`],
    ['data empty', image('image/png', ''), `${PART}.inline_data.data`],
    ['data a number', image('image/png', 5), `${PART}.inline_data.data`],
    ['data not base64', image('image/png', 'not base64!!'), `${PART}.inline_data.data`],
    ['data with a line break', image('image/png', 'AAAA\nAAAA'), `${PART}.inline_data.data`],
    ['data with padding inside', image('image/png', 'AA==AAAA'), `${PART}.inline_data.data`],
    ['data cut to an impossible length', image('image/png', 'AAAAA'), `${PART}.inline_data.data`],
    [
      'data that is a data: URI',
      image('image/png', `data:image/png;base64,${PNG}`),
      `${PART}.inline_data.data`,
    ],
    ['data of a PDF not base64', image('application/pdf', '%PDF'), `${PART}.inline_data.data`],
    [
      'a mime type in both spellings',
      body({ inlineData: { mimeType: 'image/png', mime_type: 'image/gif', data: PNG } }),
      `${PART}.inlineData.mimeType`,
    ],
    [
      'a part in both spellings',
      body({
        inlineData: { mimeType: 'image/png', data: PNG },
        inline_data: { mime_type: 'image/png', data: PNG },
      }),
      `${PART}.inlineData`,
    ],
    ['fileData a string', body({ fileData: 'files/1' }), `${PART}.fileData`],
    ['functionResponse a string', body({ functionResponse: 'x' }), `${PART}.functionResponse`],
    [
      'media of a functionResponse',
      body({
        functionResponse: { name: 'f', parts: [{ inlineData: { mimeType: 'image/gif', data: PNG } }] },
      }),
      `${PART}.functionResponse.parts[0].inlineData.mimeType`,
    ],
    ['systemInstruction a number', { ...body({ text: 'a' }), systemInstruction: 5 }, 'systemInstruction'],
    [
      'systemInstruction without parts',
      { ...body({ text: 'a' }), system_instruction: {} },
      'system_instruction.parts',
    ],
    ['cachedContent an object', { ...body({ text: 'a' }), cachedContent: {} }, 'cachedContent'],
    ['generationConfig a string', configured('max'), 'generationConfig'],
    ['generationConfig in both spellings', { ...configured({}), generation_config: {} }, 'generationConfig'],
    ['maxOutputTokens zero', configured({ maxOutputTokens: 0 }), 'generationConfig.maxOutputTokens'],
    ['maxOutputTokens negative', configured({ maxOutputTokens: -1 }), 'generationConfig.maxOutputTokens'],
    ['maxOutputTokens a fraction', configured({ maxOutputTokens: 1.5 }), 'generationConfig.maxOutputTokens'],
    ['maxOutputTokens a string', configured({ maxOutputTokens: '100' }), 'generationConfig.maxOutputTokens'],
    ['maxOutputTokens huge', configured({ maxOutputTokens: 1e300 }), 'generationConfig.maxOutputTokens'],
    ['max_output_tokens zero', configured({ max_output_tokens: 0 }), 'generationConfig.max_output_tokens'],
    [
      'the limit in both spellings',
      configured({ maxOutputTokens: 1, max_output_tokens: 9 }),
      'generationConfig.maxOutputTokens',
    ],
    ['candidateCount zero', configured({ candidateCount: 0 }), 'generationConfig.candidateCount'],
    ['candidateCount a fraction', configured({ candidateCount: 2.5 }), 'generationConfig.candidateCount'],
    ['thinkingConfig a number', configured({ thinkingConfig: 5 }), 'generationConfig.thinkingConfig'],
    [
      'thinkingBudget -2',
      configured({ thinkingConfig: { thinkingBudget: -2 } }),
      'generationConfig.thinkingConfig.thinkingBudget',
    ],
    [
      'thinkingBudget a string',
      configured({ thinkingConfig: { thinkingBudget: '0' } }),
      'generationConfig.thinkingConfig.thinkingBudget',
    ],
    [
      'thinking_budget a fraction',
      configured({ thinking_config: { thinking_budget: 0.5 } }),
      'generationConfig.thinking_config.thinking_budget',
    ],
  ]
  test.each(cases)('%s', (_name, request, param) => {
    const error = refusal(request)
    expect({ kind: error.kind, param: error.param }).toEqual({ kind: 'invalid_request', param })
    expect(error.message).toStartWith(param)
  })
})

describe('accepted unchanged', () => {
  const cases: [string, JsonObject][] = [
    ...['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif', 'IMAGE/PNG'].map(
      (mime): [string, JsonObject] => [`spec.md, Native generation request: ${mime} is allowed`, image(mime)],
    ),
    ['audio', image('audio/mp3')],
    ['video', image('video/mp4')],
    ['a PDF', image('application/pdf')],
    ['a type named like a property of objects', image('constructor/x')],
    ['URL-safe base64 without padding', image('image/png', 'iVBORw0KGgo_-A')],
    ['a part without text and media', body({ functionCall: { name: 'f', args: {} } })],
    ['unknown fields', { ...body({ text: 'a', novelty: 1 }), novelty: { deep: [1] } }],
    ['unknown fields of generationConfig', configured({ temperature: 'hot', topP: 9, novelty: 1 })],
    ['an unknown role', { contents: [{ role: 'narrator', parts: [{ text: 'a' }] }] }],
    ['one part where an array is due', { contents: [{ parts: { text: 'a' } }] }],
    ['systemInstruction as a string', { ...body({ text: 'a' }), systemInstruction: 'Be brief.' }],
    [
      'fields that are null',
      { ...body({ text: 'a' }), generationConfig: null, tools: null, systemInstruction: null },
    ],
    [
      'limits that are null',
      configured({ maxOutputTokens: null, candidateCount: null, thinkingConfig: null }),
    ],
    ['thinkingBudget -1', configured({ thinkingConfig: { thinkingBudget: -1 } })],
    ['thinkingBudget 0', configured({ thinkingConfig: { thinkingBudget: 0 } })],
  ]
  test.each(cases)('%s', (_name, request) => {
    const before = structuredClone(request)
    const { input_tokens } = gemini.text.readRequest(request)
    expect(Number.isSafeInteger(input_tokens) && input_tokens > 0).toBe(true)
    expect(request).toEqual(before)
  })
})

describe('facts for the quote', () => {
  test('limits under either spelling', () => {
    const camel = configured({ maxOutputTokens: 100, candidateCount: 3 })
    const snake = {
      ...body({ text: 'hi' }),
      generation_config: { max_output_tokens: 100, candidate_count: 3 },
    }
    for (const request of [camel, snake]) {
      expect(gemini.text.readRequest(request)).toMatchObject({ max_output_tokens: 100, candidates: 3 })
    }
  })

  test('a request without limits has no maximum, and one candidate', () => {
    expect(gemini.text.readRequest(body({ text: 'hi' }))).toEqual({
      input_tokens: 1,
      // The text, and the names and brackets around it.
      input_bound_tokens: 23,
      max_output_tokens: undefined,
      candidates: 1,
      offers_tools: false,
      stops: false,
      input_fields: ['input_tokens', 'cache_read_tokens'],
    })
  })

  const audio = { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } }
  test.each<[string, JsonObject, boolean]>([
    ['text is not', body({ text: 'audio/mp3' }), false],
    ['an image is not', image('image/png'), false],
    ['audio is', body({ text: 'a' }, audio), true],
    ['a video is', image('VIDEO/mp4'), true],
    ['one part where an array is due is', { contents: [{ parts: audio }] }, true],
    ['audio of a function is', body({ functionResponse: { name: 'f', parts: [audio] } }), true],
    ['a file of unknown type is', body({ fileData: { fileUri: 'https://example.com/v' } }), true],
    [
      'a file that is a PDF is not',
      body({ file_data: { mime_type: 'application/pdf', file_uri: 'files/1' } }),
      false,
    ],
  ])('priced by the rate of audio: %s', (_name, request, priced) => {
    expect(gemini.text.readRequest(request).input_fields?.includes('input_audio_tokens')).toBe(priced)
  })

  const text = body({ text: 'abcdefgh' })
  const counted: [string, JsonObject, number][] = [
    ['text, four characters a token', text, 2],
    [
      'every content and part',
      { contents: [{ parts: [{ text: 'abcd' }, { text: 'efgh' }] }, { parts: [{ text: 'ijkl' }] }] },
      3,
    ],
    ['systemInstruction', { ...text, systemInstruction: { parts: [{ text: 'abcd' }] } }, 3],
    [
      'system_instruction with one part where an array is due',
      { ...text, system_instruction: { parts: { text: 'abcd' } } },
      3,
    ],
    ["tools' declarations by their JSON", { ...text, tools: ['abcdefgh'] }, 5],
    ['a schema of the answer', configured({ responseSchema: 'abcdef' }), 3],
    ['an image', image('image/png'), 1600],
    ['audio that cannot be counted by its bytes', image('audio/mp3', 'A'.repeat(4000)), 150],
    ['a video that cannot be counted by its bytes', image('video/mp4', 'A'.repeat(4000)), 150],
    ['a PDF that cannot be counted by its bytes', image('application/pdf', 'A'.repeat(4000)), 150],
    ['text as inline data', image('text/csv', 'YWJj'.repeat(1000)), 750],
    ['an unseen file', body({ fileData: { fileUri: 'https://example.com/v' } }), 32_768],
    ['an unseen image', body({ file_data: { mime_type: 'image/png', file_uri: 'files/1' } }), 1600],
    ['unseen cached content', { ...text, cachedContent: 'cachedContents/1' }, 4098],
    [
      'an image in a functionResponse',
      body({ functionResponse: { parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] } }),
      1601,
    ],
  ]
  test.each(counted)('input counts %s', (_name, request, tokens) => {
    expect(gemini.text.readRequest(request).input_tokens).toBe(tokens)
  })

  test('any request is priced or refused, and never fails otherwise (property)', () => {
    const key = fc.constantFrom(
      'text',
      'inlineData',
      'inline_data',
      'mimeType',
      'data',
      'fileData',
      'parts',
      'functionResponse',
    )
    const { part } = fc.letrec((tie) => ({
      part: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.dictionary(key, tie('part')),
        fc.array(tie('part')),
      ),
    }))
    fc.assert(
      fc.property(fc.array(part), part, part, (parts, systemInstruction, generationConfig) => {
        const request = { contents: [{ parts }], systemInstruction, generationConfig } as JsonObject
        try {
          expect(gemini.text.readRequest(request).input_tokens).toBeGreaterThanOrEqual(0)
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
        }
      }),
    )
  })
})

describe('limitOutput lowers the limit and nothing else', () => {
  const cases: [string, JsonObject, JsonObject][] = [
    [
      'an existing limit',
      configured({ maxOutputTokens: 100, topK: 3 }),
      configured({ maxOutputTokens: 10, topK: 3 }),
    ],
    ['no limit', configured({ topK: 3 }), configured({ topK: 3, maxOutputTokens: 10 })],
    ['no generationConfig', body({ text: 'hi' }), configured({ maxOutputTokens: 10 })],
    [
      'the spelling of the caller',
      { generation_config: { max_output_tokens: 100 } },
      { generation_config: { max_output_tokens: 10 } },
    ],
    [
      'the thinking budget stays',
      configured({ thinkingConfig: { thinkingBudget: 500 } }),
      configured({ thinkingConfig: { thinkingBudget: 500 }, maxOutputTokens: 10 }),
    ],
  ]
  test.each(cases)('%s', (_name, request, expected) => {
    const before = structuredClone(request)
    expect(gemini.text.limitOutput(request, 10, { model: 'm' })).toEqual(expected)
    expect(request).toEqual(before)
  })
})
