// Streamed output of providers, by kind and protocol, and the estimated tokens of its events.
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'

/** Forty characters: ten tokens. */
export const WORDS = 'Ten tokens are forty letters of English.'
export const TOKENS = 10
/** Two seconds of audio as samples of 16 bits, 24,000 a second, in base64: 40 tokens at OpenAI, 50 at Google. */
const SECONDS = 'A'.repeat((2 * 48_000 * 4) / 3)
const PICTURE = `data:image/png;base64,${'A'.repeat(4_000)}`
const IMAGE_TOKENS = 1_290

export type Wire = BuiltInProtocol | 'responses'

/** One kind of output: its events, and their tokens together, which a stream rounds up once. */
export interface Delivery {
  readonly kind: string
  readonly events: readonly object[]
  readonly tokens: number
}

/** The name "echo". */
const NAME_TOKENS = 1

const chunk = (delta: object) => ({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }] })
const chat = (kind: string, delta: object, tokens = TOKENS): Delivery => ({
  kind,
  events: [chunk(delta)],
  tokens,
})

const block = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block })
const added = (delta: object) => ({ type: 'content_block_delta', index: 0, delta })
const message = (kind: string, tokens: number, ...events: readonly object[]): Delivery => ({
  kind,
  events,
  tokens,
})

const parts = (...all: readonly object[]) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: all } }],
})
const native = (kind: string, part: object, tokens = TOKENS): Delivery => ({
  kind,
  events: [parts(part)],
  tokens,
})

const item = (kind: string, fields: object, tokens: number): Delivery => ({
  kind: `an item that only comes whole: ${kind}`,
  events: [{ type: 'response.output_item.done', output_index: 0, item: { id: 'i', type: kind, ...fields } }],
  tokens,
})
const delta = (kind: string, fields: object = { delta: WORDS }, tokens = TOKENS): Delivery => ({
  kind,
  events: [{ type: `response.${kind}`, item_id: 'i', output_index: 0, obfuscation: 'abc', ...fields }],
  tokens,
})

export const DELIVERIES: Readonly<Record<Wire, readonly Delivery[]>> = {
  openai: [
    chat('text', { role: 'assistant', content: WORDS }),
    {
      kind: 'thinking of a message in place of a delta',
      events: [{ choices: [{ index: 0, message: { content: '', reasoning_content: WORDS } }] }],
      tokens: TOKENS,
    },
    chat('content as a list', { content: [{ type: 'text', text: WORDS }] }),
    chat('thinking in a list', {
      content: [{ type: 'thinking', thinking: [{ type: 'text', text: WORDS }] }],
    }),
    chat('a refusal', { content: null, refusal: WORDS }),
    chat('reasoning_content', { reasoning_content: WORDS }),
    chat('reasoning', { reasoning: WORDS }),
    chat('reasoning under both names', { reasoning: WORDS, reasoning_content: WORDS }),
    chat('thinking', { thinking: WORDS }),
    chat('reasoning_details alone', {
      content: '',
      reasoning_details: [{ type: 'reasoning.encrypted', id: 'r', format: 'unknown', data: WORDS }],
    }),
    chat('reasoning_details beside the same reasoning', {
      reasoning: WORDS,
      reasoning_details: [{ type: 'reasoning.text', format: 'unknown', text: WORDS }],
    }),
    chat(
      'a call of a function',
      {
        tool_calls: [
          { index: 0, id: 'call_1', type: 'function', function: { name: 'echo', arguments: WORDS } },
        ],
      },
      TOKENS + NAME_TOKENS,
    ),
    chat('the name of a function', {
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: WORDS, arguments: '' } }],
    }),
    chat(
      "a custom tool's input",
      { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'echo', input: WORDS } }] },
      TOKENS + NAME_TOKENS,
    ),
    chat('an older function_call', { function_call: { arguments: WORDS } }),
    chat('audio', { audio: { id: 'a', data: SECONDS } }, 40),
    chat('the transcript of audio', { audio: { transcript: WORDS } }),
    chat('images', { images: [{ type: 'image_url', image_url: { url: PICTURE } }] }, IMAGE_TOKENS),
    chat('annotations', { annotations: [{ type: 'url_citation', url_citation: { title: WORDS } }] }),
    chat('an unknown field', { song: { verses: [[WORDS]] } }),
    { kind: 'a choice without a delta', events: [{ choices: [{ index: 0, text: WORDS }] }], tokens: TOKENS },
    {
      kind: 'several choices',
      events: [{ choices: [{ delta: { content: WORDS } }, { delta: { content: WORDS } }] }],
      tokens: 2 * TOKENS,
    },
  ],
  anthropic: [
    message('text', TOKENS, block({ type: 'text', text: '' }), added({ type: 'text_delta', text: WORDS })),
    message('text at the start of a block', TOKENS, block({ type: 'text', text: WORDS })),
    message('thinking', TOKENS, added({ type: 'thinking_delta', thinking: WORDS })),
    message(
      'thinking with its signature',
      TOKENS,
      block({ type: 'thinking', thinking: '', signature: '' }),
      added({ type: 'thinking_delta', thinking: WORDS }),
      added({ type: 'signature_delta', signature: WORDS }),
    ),
    message(
      'hidden thinking, by its signature',
      TOKENS,
      block({ type: 'thinking', thinking: '', signature: '' }),
      added({ type: 'signature_delta', signature: WORDS }),
    ),
    message('redacted_thinking', TOKENS, block({ type: 'redacted_thinking', data: WORDS })),
    message(
      'a call of a tool',
      TOKENS + NAME_TOKENS,
      block({ type: 'tool_use', id: 'toolu_1', name: 'echo', input: {} }),
      added({ type: 'input_json_delta', partial_json: WORDS }),
    ),
    message('the name of a tool', TOKENS, block({ type: 'tool_use', id: 't', name: WORDS, input: {} })),
    message(
      'a call of a tool that comes whole',
      13.5,
      block({ type: 'server_tool_use', id: 't', name: '', input: { a: WORDS, n: 7 } }),
    ),
    message(
      'citations_delta',
      TOKENS,
      added({ type: 'citations_delta', citation: { type: 'char_location', cited_text: WORDS } }),
    ),
    message('an unknown block', TOKENS, block({ type: 'song', verses: [{ sung: WORDS }] })),
    message('an unknown delta', TOKENS, added({ type: 'song_delta', verse: WORDS })),
    message('an unknown event', TOKENS, { type: 'content_block_sung', index: 0, verse: WORDS }),
  ],
  gemini: [
    native('text', { text: WORDS }),
    native('thoughts', { text: WORDS, thought: true, thoughtSignature: 'c2lnbmF0dXJl' }),
    native('executableCode', { executableCode: { language: 'PYTHON', code: WORDS } }),
    native('codeExecutionResult', { codeExecutionResult: { outcome: 'OUTCOME_OK', output: WORDS } }),
    native('a call of a function', { functionCall: { name: 'f', args: { a: WORDS } } }, 22),
    native('an image', { inlineData: { mimeType: 'image/png', data: 'AAAA' } }, IMAGE_TOKENS),
    native('audio', { inlineData: { mimeType: 'audio/pcm;rate=24000', data: SECONDS } }, 50),
    native('a file', { fileData: { mimeType: 'image/png', fileUri: WORDS } }),
    native('an unknown part', { song: { verses: [WORDS] } }),
    {
      kind: 'a candidate without parts',
      events: [{ candidates: [{ index: 0, content: { role: 'model', song: WORDS } }] }],
      tokens: TOKENS,
    },
    {
      kind: 'several candidates',
      events: [
        {
          candidates: [{ content: { parts: [{ text: WORDS }] } }, { content: { parts: [{ text: WORDS }] } }],
        },
      ],
      tokens: 2 * TOKENS,
    },
  ],
  responses: [
    ...[
      'output_text.delta',
      'refusal.delta',
      'reasoning_text.delta',
      'reasoning_summary_text.delta',
      'function_call_arguments.delta',
      'custom_tool_call_input.delta',
      'mcp_call_arguments.delta',
      'code_interpreter_call_code.delta',
      'output_audio_transcript.delta',
      'song.delta',
    ].map((kind) => delta(kind)),
    delta('audio.delta', { delta: SECONDS }, 40),
    delta('output_audio.delta', { delta: SECONDS }, 40),
    delta('mcp_call_arguments.delta of an object', { delta: { a: WORDS } }),
    delta('song.sung', { verses: [{ sung: WORDS }] }),
    delta('output_text.done', { text: WORDS }),
    delta('output_text.annotation.added', { annotation: { type: 'url_citation', title: WORDS } }),
    item('message', { role: 'assistant', content: [{ type: 'output_text', text: WORDS }] }, TOKENS),
    item('reasoning', { summary: [{ type: 'summary_text', text: WORDS }] }, TOKENS),
    item('reasoning', { summary: [], encrypted_content: WORDS }, TOKENS),
    item('function_call', { call_id: 'c', name: 'f', arguments: WORDS }, TOKENS + 0.25),
    item('custom_tool_call', { call_id: 'c', name: '', input: WORDS }, TOKENS),
    item('web_search_call', { status: 'completed', action: { type: 'search', query: WORDS } }, TOKENS),
    item('code_interpreter_call', { code: WORDS }, TOKENS),
    item('song', { verses: [[WORDS]] }, TOKENS),
    {
      kind: 'an item after all of its deltas: once',
      events: [
        { type: 'response.created', response: { id: 'r', instructions: WORDS, output: [] } },
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { id: 'i', type: 'message', content: [] },
        },
        { type: 'response.content_part.added', output_index: 0, part: { type: 'output_text', text: '' } },
        { type: 'response.output_text.delta', output_index: 0, delta: WORDS.slice(0, 20) },
        { type: 'response.output_text.delta', output_index: 0, delta: WORDS.slice(20) },
        { type: 'response.output_text.done', output_index: 0, text: WORDS },
        { type: 'response.content_part.done', output_index: 0, part: { type: 'output_text', text: WORDS } },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { id: 'i', type: 'message', content: [{ type: 'output_text', text: WORDS }] },
        },
      ],
      tokens: TOKENS,
    },
    {
      kind: 'two interleaved items, one of them without deltas: each once',
      events: [
        { type: 'response.output_text.delta', output_index: 1, delta: WORDS },
        { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', text: WORDS } },
        { type: 'response.output_text.delta', output_index: 1, delta: WORDS },
        {
          type: 'response.output_item.done',
          output_index: 1,
          item: { type: 'message', content: [{ type: 'output_text', text: WORDS + WORDS }] },
        },
      ],
      tokens: 3 * TOKENS,
    },
  ],
}

/** Events without output. */
export const NO_OUTPUT: Readonly<Record<Wire, readonly object[]>> = {
  openai: [
    chunk({ role: 'assistant', content: '' }),
    chunk({}),
    { choices: [], usage: null },
    { choices: [{ delta: { content: '' }, message: { role: 'assistant', content: WORDS } }] },
    { choices: [{ index: 0, content_filter_results: { hate: { severity: 'safe' } }, finish_reason: null }] },
    { ...chunk({ content: null }), obfuscation: WORDS },
    { choices: [{ delta: { content: '' }, logprobs: { content: [{ token: WORDS, bytes: [1] }] } }] },
    chunk({ tool_calls: [{ index: 0, id: WORDS, type: 'function', function: { name: '', arguments: '' } }] }),
  ],
  anthropic: [
    { type: 'ping' },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_stop' },
    block({ type: 'text', text: '' }),
    block({ type: 'tool_use', id: WORDS, name: '', input: {} }),
    {
      type: 'message_start',
      message: { id: WORDS, model: WORDS, content: [], usage: { input_tokens: 3, output_tokens: 1 } },
    },
  ],
  gemini: [
    parts(),
    { modelVersion: WORDS, responseId: WORDS, usageMetadata: { promptTokenCount: 3 } },
    { candidates: [{ index: 0, groundingMetadata: { webSearchQueries: [WORDS] } }] },
  ],
  responses: [
    { type: 'response.created', response: { id: 'r', instructions: WORDS, output: [] } },
    { type: 'response.in_progress', response: { id: 'r', instructions: WORDS, output: [] } },
    { type: 'response.web_search_call.searching', item_id: WORDS, output_index: 0 },
    {
      type: 'response.image_generation_call.partial_image',
      item_id: 'i',
      output_index: 0,
      partial_image_b64: WORDS,
    },
    { type: 'keepalive' },
  ],
}
