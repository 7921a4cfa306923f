// Fields that a translation cannot carry: refused with a 400 that names the caller's field, or dropped if the tables say so.
import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/errors.ts'
import type { Loss, RequestField } from '../../../src/protocols/carries.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import { type Json, type JsonObject, objectsIn } from '../../../src/protocols/wire/json.ts'
import { PAIRS, PROTOCOLS } from './recordings.ts'

const MODELS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-4.1',
}

const BASE: Readonly<Record<BuiltInProtocol, JsonObject>> = {
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  anthropic: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
  openai: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
}

function translate(from: BuiltInProtocol, to: BuiltInProtocol, body: JsonObject): JsonObject {
  const request = BUILT_IN_PROTOCOLS[from].text.decodeRequest({ ...BASE[from], ...body }, false)
  return BUILT_IN_PROTOCOLS[to].text.encodeRequest(request, { model: MODELS[to], max_output_tokens: 1_000 })
}

function refusal(from: BuiltInProtocol, to: BuiltInProtocol, body: JsonObject): GatewayError {
  try {
    translate(from, to, body)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('the request was not refused')
}

type Case = readonly [
  name: string,
  from: BuiltInProtocol,
  to: BuiltInProtocol,
  body: JsonObject,
  param: string,
]

/** The fields of a request, and the one at fault. */
type Fault = readonly [name: string, body: JsonObject, param: string]
const cases = (from: BuiltInProtocol, to: BuiltInProtocol, faults: readonly Fault[]): Case[] =>
  faults.map(([name, body, param]) => [name, from, to, body, param])

const user = (...content: Json[]): JsonObject => ({ messages: [{ role: 'user', content }] })
const parts = (...content: Json[]): JsonObject => ({ contents: [{ role: 'user', parts: content }] })
const config = (fields: JsonObject): JsonObject => ({ generationConfig: fields })

/** Paths in requests, as refusals name them. */
const CONTENT = 'messages[0].content[0]'
const PART = 'contents[0].parts[0]'
const CANNOT_BE_CARRIED: readonly Case[] = [
  ...cases('openai', 'anthropic', [
    ['several answers', { n: 2 }, 'n'],
    ['log probabilities', { logprobs: true }, 'logprobs'],
    ['web search', { web_search_options: {} }, 'web_search_options'],
    [
      'audio for Claude',
      user({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }),
      CONTENT,
    ],
    [
      'a file stored at the provider',
      user({ type: 'file', file: { file_id: 'file-1' } }),
      `${CONTENT}.file.file_id`,
    ],
    [
      'an image by plain http',
      user({ type: 'image_url', image_url: { url: 'http://example.com/a.png' } }),
      `${CONTENT}.image_url.url`,
    ],
  ]),
  ...cases('gemini', 'anthropic', [
    ['several answers', config({ candidateCount: 2 }), 'generationConfig.candidateCount'],
    ['log probabilities', config({ responseLogprobs: true }), 'generationConfig.responseLogprobs'],
    [
      'answers with images',
      config({ responseModalities: ['TEXT', 'IMAGE'] }),
      'generationConfig.responseModalities',
    ],
    ['code execution', { tools: [{ code_execution: {} }] }, 'tools[0].codeExecution'],
    [
      'audio for Claude',
      parts({ inlineData: { mimeType: 'audio/ogg', data: 'AA==' } }),
      `${PART}.inlineData`,
    ],
    [
      'a file in Google Cloud Storage',
      parts({ fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/x.png' } }),
      `${PART}.fileData.fileUri`,
    ],
    [
      'a file without a type',
      parts({ fileData: { fileUri: 'https://example.com/x.png' } }),
      `${PART}.fileData.mimeType`,
    ],
  ]),
  ...cases('openai', 'gemini', [
    ['a bias of tokens', { logit_bias: { '50256': -100 } }, 'logit_bias'],
    ['spoken answers', { modalities: ['text', 'audio'] }, 'modalities'],
    ['spoken answers', { audio: { voice: 'alloy', format: 'mp3' } }, 'audio'],
    ['a grammar for a tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0].type'],
    ['an unknown field', { temprature: 1 }, 'temprature'],
    [
      'an image by a URL without a file type',
      user({ type: 'image_url', image_url: { url: 'https://example.com/latest' } }),
      `${CONTENT}.image_url.url`,
    ],
    [
      'an inline image of a type that Gemini does not take',
      user({ type: 'image_url', image_url: { url: 'data:image/gif;base64,R0lGODlh' } }),
      `${CONTENT}.image_url.url`,
    ],
  ]),
  ...cases('anthropic', 'gemini', [
    ['web search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type'],
    ['MCP servers', { mcp_servers: [] }, 'mcp_servers'],
    ['an unknown field', { temprature: 1 }, 'temprature'],
    [
      'an image by a URL of another file type',
      user({ type: 'image', source: { type: 'url', url: 'https://example.com/a.gif' } }),
      CONTENT,
    ],
  ]),
  ...cases('gemini', 'openai', [
    ['web search', { tools: [{ googleSearch: {} }] }, 'tools[0].googleSearch'],
    ['cached content', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
    ['cached content', { cached_content: 'cachedContents/1' }, 'cachedContent'],
    ['speech', config({ speechConfig: {} }), 'generationConfig.speechConfig'],
    [
      'an enumeration as MIME type',
      config({ responseMimeType: 'text/x.enum' }),
      'generationConfig.responseMimeType',
    ],
    ['an unknown field', { temprature: 1 }, 'temprature'],
    ['an unknown field of generationConfig', config({ temprature: 1 }), 'generationConfig.temprature'],
    ['an unknown field of toolConfig', { toolConfig: { retrievalConfig: {} } }, 'toolConfig.retrievalConfig'],
    [
      'audio of a format that chat completions lacks',
      parts({ inlineData: { mimeType: 'audio/ogg', data: 'AA==' } }),
      `${PART}.inlineData`,
    ],
    ['video', parts({ inlineData: { mimeType: 'video/mp4', data: 'AA==' } }), `${PART}.inlineData.mimeType`],
    [
      "a file in the provider's own store",
      parts({
        fileData: {
          mimeType: 'image/png',
          fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x',
        },
      }),
      `${PART}.fileData.fileUri`,
    ],
    [
      'code that the provider ran',
      { contents: [{ role: 'model', parts: [{ executableCode: { code: '1' } }] }] },
      `${PART}.executableCode`,
    ],
  ]),
  ...cases('anthropic', 'openai', [
    ['a region to compute in', { inference_geo: 'us' }, 'inference_geo'],
    ['a container', { container: 'container_1' }, 'container'],
    [
      'a file stored at the provider',
      user({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
      `${CONTENT}.source.file_id`,
    ],
    [
      'an image by a path',
      user({ type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } }),
      `${CONTENT}.source.url`,
    ],
    [
      'a document by URL',
      user({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
      CONTENT,
    ],
    [
      'a block that only Claude has',
      user({ type: 'server_tool_use', id: 'x', name: 'web_search', input: {} }),
      `${CONTENT}.type`,
    ],
  ]),
]

const MALFORMED: readonly Case[] = [
  ...cases('openai', 'gemini', [
    ['no messages', { messages: null }, 'messages'],
    ['a limit below zero', { max_completion_tokens: -1 }, 'max_completion_tokens'],
    ['an unknown effort', { reasoning_effort: 'deep' }, 'reasoning_effort'],
    ['an effort that is a property of all objects', { reasoning_effort: 'constructor' }, 'reasoning_effort'],
    ['an unknown role', { messages: [{ role: 'robot', content: 'Hi' }] }, 'messages[0].role'],
    ['a message that is text', { messages: ['Hi'] }, 'messages[0]'],
    ['an unknown kind of part', user({ type: 'video', video: 'x' }), `${CONTENT}.type`],
    [
      'a result for no call',
      { messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }] },
      'messages[0].tool_call_id',
    ],
    [
      'a function result for no call',
      { messages: [{ role: 'function', name: 'f', content: 'x' }] },
      'messages[0].name',
    ],
    ['an unknown format', { response_format: { type: 'xml' } }, 'response_format.type'],
    [
      'a data URI that is not base64',
      user({ type: 'file', file: { file_data: 'data:application/pdf,x' } }),
      `${CONTENT}.file.file_data`,
    ],
  ]),
  ...cases('anthropic', 'gemini', [
    ['no messages', { messages: 'Hi' }, 'messages'],
    ['no max_tokens', { max_tokens: null }, 'max_tokens'],
    ['a limit that is not a number', { max_tokens: '100' }, 'max_tokens'],
    ['an unknown effort', { output_config: { effort: 'deep' } }, 'output_config.effort'],
    ['thinking without a budget', { thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
    ['an unknown role', { messages: [{ role: 'tool', content: 'Hi' }] }, 'messages[0].role'],
    ['content that is a number', { messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
    [
      'a result for no call',
      user({ type: 'tool_result', tool_use_id: 'a', content: 'x' }),
      `${CONTENT}.tool_use_id`,
    ],
    ['a system prompt that is a number', { system: 7 }, 'system'],
  ]),
  ...cases('gemini', 'openai', [
    ['no contents', { contents: null }, 'contents'],
    ['a limit with a fraction', config({ maxOutputTokens: 1.5 }), 'generationConfig.maxOutputTokens'],
    ['both spellings of one field', { generationConfig: {}, generation_config: {} }, 'generationConfig'],
    [
      'a thinking budget below -1',
      config({ thinkingConfig: { thinkingBudget: -2 } }),
      'generationConfig.thinkingConfig.thinkingBudget',
    ],
    [
      'an unknown thinking level',
      config({ thinkingConfig: { thinkingLevel: 'DEEP' } }),
      'generationConfig.thinkingConfig.thinkingLevel',
    ],
    ['an unknown role', { contents: [{ role: 'assistant', parts: [{ text: 'Hi' }] }] }, 'contents[0].role'],
    ['an empty part', parts({}), `${PART}.text`],
    ['text that is a number', parts({ text: 7 }), `${PART}.text`],
    [
      'a result for no call',
      parts({ functionResponse: { name: 'f', response: {} } }),
      `${PART}.functionResponse`,
    ],
    [
      'a second result for one call',
      {
        contents: [
          { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
          {
            role: 'user',
            parts: [
              { functionResponse: { name: 'f', response: {} } },
              { functionResponse: { name: 'f', response: {} } },
            ],
          },
        ],
      },
      'contents[1].parts[1].functionResponse',
    ],
  ]),
  ...cases('anthropic', 'openai', [
    ['an unknown tool choice', { tool_choice: { type: 'some' } }, 'tool_choice.type'],
    ['a tool without a schema', { tools: [{ name: 'a' }] }, 'tools[0].input_schema'],
  ]),
  ...cases('openai', 'anthropic', [
    ['an unknown tool choice', { tool_choice: 'some' }, 'tool_choice'],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
  ]),
  ...cases('gemini', 'anthropic', [
    [
      'an unknown mode',
      { toolConfig: { functionCallingConfig: { mode: 'SOME' } } },
      'toolConfig.functionCallingConfig.mode',
    ],
  ]),
]

describe('a field that the other protocol lacks is refused', () => {
  test.each(CANNOT_BE_CARRIED)('%s (%s to %s)', (_name, from, to, body, param) => {
    const error = refusal(from, to, body)
    expect(error.kind).toBe('invalid_request')
    expect(error.param).toBe(param)
    expect(error.message).toContain(param)
  })
})

describe('a malformed field is refused', () => {
  test.each(MALFORMED)('%s (%s to %s)', (_name, from, to, body, param) => {
    const error = refusal(from, to, body)
    expect(error.kind).toBe('invalid_request')
    expect(error.param).toBe(param)
  })
})

describe('the code carries, drops and refuses fields as the tables say', () => {
  /** A value for each field that a plain value can set. */
  const VALUES: Readonly<Partial<Record<RequestField, Json>>> = {
    temperature: 0.5,
    top_p: 0.5,
    top_k: 5,
    seed: 7,
    frequency_penalty: 0.5,
    presence_penalty: 0.5,
    user: 'u',
    max_output_tokens: 50,
    stop: ['END'],
    candidates: 2,
    logprobs: true,
  }
  const body = (path: string, value: Json): JsonObject => {
    const [first = '', second] = path.split('.')
    return second === undefined ? { [first]: value } : { [first]: { [second]: value } }
  }

  for (const [field, value] of Object.entries(VALUES) as [RequestField, Json][]) {
    for (const [from, to] of PAIRS) {
      const name = BUILT_IN_PROTOCOLS[from].carries.fields[field]
      const place = BUILT_IN_PROTOCOLS[to].carries.fields[field]
      if (typeof name !== 'string') continue
      const fate = typeof place === 'string' ? `carried as ${place}` : place.fate
      test(`${from}: ${name} is ${fate} for a model of ${to}`, () => {
        if (typeof place !== 'string' && place.fate === 'refused') {
          expect(refusal(from, to, body(name, value)).param).toBe(name)
          return
        }
        const without = JSON.stringify(translate(from, to, {}))
        const made = JSON.stringify(translate(from, to, body(name, value)))
        if (typeof place === 'string') expect(made).not.toBe(without)
        else expect(made).toBe(without)
      })
    }
  }

  for (const from of PROTOCOLS) {
    const to = from === 'openai' ? 'anthropic' : 'openai'
    test.each(Object.entries(BUILT_IN_PROTOCOLS[from].carries.own_fields))(
      `${from}: %s is dropped or refused as the table says`,
      (path, loss: Loss) => {
        const request = body(path, { some: 'value' })
        if (loss.fate === 'refused') expect(refusal(from, to, request).param).toBe(path)
        else
          expect(JSON.stringify(translate(from, to, request))).toBe(JSON.stringify(translate(from, to, {})))
      },
    )
  }
})

describe('a field is carried in the form that the provider takes', () => {
  test('the deprecated functions become tools, and each result belongs to the last call of its function', () => {
    const call = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }
    const result = { role: 'function', name: 'f', content: 'x' }
    const { messages, tools } = translate('openai', 'anthropic', {
      messages: [{ role: 'user', content: 'Hi' }, call, result, call, result],
      functions: [{ name: 'f' }],
      function_call: 'auto',
    })
    const ids = JSON.stringify(messages).match(/call_function_0_\d|call_function_\d/g)
    expect(ids).toEqual(['call_function_0', 'call_function_0', 'call_function_1', 'call_function_1'])
    expect(tools).toEqual([{ name: 'f', input_schema: { type: 'object', properties: {} } }])
  })

  test.each([
    ['gemini-3-pro-preview', ['functionResponse', 'text']],
    ['gemini-2.5-flash', ['functionResponse', 'inlineData', 'text']],
  ])('an image in a tool result is placed where %s takes it', (model, expected) => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
    const request = BUILT_IN_PROTOCOLS.anthropic.text.decodeRequest(
      {
        max_tokens: 1,
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See?' },
              { type: 'tool_result', tool_use_id: 'a', content: [image] },
            ],
          },
        ],
      },
      false,
    )
    const body = BUILT_IN_PROTOCOLS.gemini.text.encodeRequest(request, { model, max_output_tokens: 1 })
    const last = objectsIn(objectsIn(body.contents)[1]?.parts)
    expect(last.flatMap((part) => Object.keys(part)).sort()).toEqual([...expected].sort())
  })

  const cases: readonly (readonly [string, BuiltInProtocol, BuiltInProtocol, JsonObject, JsonObject])[] = [
    [
      'a temperature above 1 is 1 for Claude',
      'openai',
      'anthropic',
      { temperature: 1.7 },
      { temperature: 1 },
    ],
    [
      'blank stop sequences are left out for Claude',
      'openai',
      'anthropic',
      { stop: ['\n', 'END'] },
      { stop_sequences: ['END'] },
    ],
    [
      "Claude's limit is the model's own if the caller sets none",
      'openai',
      'anthropic',
      {},
      { max_tokens: 1_000 },
    ],
    [
      'a choice among no tools is left out',
      'openai',
      'anthropic',
      { tool_choice: 'auto' },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
    ],
    [
      'an effort is a budget',
      'openai',
      'gemini',
      { reasoning_effort: 'medium' },
      { generationConfig: { thinkingConfig: { thinkingBudget: 8_192 } } },
    ],
    [
      'the effort none is a budget of 0',
      'openai',
      'gemini',
      { reasoning_effort: 'none' },
      { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
    ],
    [
      'thinking that is off stays off',
      'gemini',
      'anthropic',
      config({ thinkingConfig: { thinkingBudget: 0 } }),
      { thinking: { type: 'disabled' } },
    ],
    [
      'a budget is held below the limit',
      'gemini',
      'anthropic',
      config({ maxOutputTokens: 3_000, thinkingConfig: { thinkingBudget: 20_000 } }),
      { thinking: { type: 'enabled', budget_tokens: 2_999 } },
    ],
    [
      'an unlimited budget is left to the model',
      'gemini',
      'openai',
      config({ thinkingConfig: { thinkingBudget: -1 } }),
      { model: 'gpt-4.1' },
    ],
    [
      'fields that are null are not set',
      'openai',
      'anthropic',
      { stop: null, seed: null, tools: null, user: null, n: null },
      { max_tokens: 1_000 },
    ],
    ['an empty logit_bias is ignored', 'openai', 'anthropic', { logit_bias: {} }, { max_tokens: 1_000 }],
  ]
  test.each(cases)('%s (%s to %s)', (_name, from, to, request, expected) => {
    expect(translate(from, to, request)).toMatchObject(expected)
  })
})
