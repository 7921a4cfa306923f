// Examples of the rules of the messages API.
import { sign } from '../anthropic/signature.ts'
import { type Body, type Call, type Example, text } from './example.ts'

const VERSION = { 'anthropic-version': '2023-06-01' }

/** A conversation whose turns alternate, the user's first. */
const turns = (...contents: unknown[]): Body => ({
  messages: contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
})

const to = (model: string, more: Body = {}, headers: Readonly<Record<string, string>> = VERSION): Call => ({
  path: '/v1/messages',
  body: { model, max_tokens: 4_096, ...turns('Tides?'), ...more },
  headers,
})

const TOOL = { name: 'get_time', input_schema: { type: 'object' } }
const use = (id = 'toolu_1', more: Body = {}): Body => ({
  type: 'tool_use',
  id,
  name: 'get_time',
  input: {},
  ...more,
})
const result = (tool_use_id = 'toolu_1'): Body => ({ type: 'tool_result', tool_use_id, content: 'nine' })
const thought = (thinking: string, more: Body = {}): Body => ({ type: 'thinking', thinking, ...more })
const THINKING = { thinking: { type: 'enabled', budget_tokens: 1_024 } }
const ADAPTIVE = { thinking: { type: 'adaptive' } }
const marked = (more: Body = {}): Body => ({
  type: 'text',
  text: 'a',
  cache_control: { type: 'ephemeral', ...more },
})

const LATE_SYSTEM: Body = {
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
    { role: 'system', content: 'Be brief.' },
  ],
}

const FIELDS: readonly Example[] = [
  {
    rule: 'anthropic: version header',
    refused: to('claude-sonnet-4-5', {}, {}),
    words: 'anthropic-version: header is required',
    passes: to('claude-sonnet-4-5'),
  },
  {
    rule: 'anthropic: unknown field',
    refused: to('claude-sonnet-4-5', { response_format: { type: 'json_object' } }),
    words: '"type":"invalid_request_error","message":"response_format: Extra inputs are not permitted"',
    passes: to('claude-sonnet-4-5', { metadata: { user_id: 'a' } }),
  },
  {
    rule: 'anthropic: unknown field',
    refused: to('claude-sonnet-4-5', { context_management: { edits: [] } }),
    words: 'context_management: Extra inputs are not permitted',
    passes: to(
      'claude-sonnet-4-5',
      { context_management: { edits: [] } },
      { ...VERSION, 'anthropic-beta': 'context-management-2025-06-27' },
    ),
  },
  {
    rule: 'anthropic: unknown field of a block',
    refused: to('claude-sonnet-4-5', turns('a', [use('toolu_1', { text: '' })], [result()])),
    words: 'messages.1.content.0.tool_use.text: Extra inputs are not permitted',
    passes: to('claude-sonnet-4-5', turns('a', [use()], [result()])),
  },
  {
    rule: 'anthropic: unknown field of a tool',
    refused: to('claude-sonnet-4-5', { tools: [{ ...TOOL, parameters: {} }] }),
    words: 'tools.0.custom.parameters: Extra inputs are not permitted',
    passes: to('claude-sonnet-4-5', { tools: [{ ...TOOL, strict: true }] }),
  },
  {
    rule: 'anthropic: unknown field of a cache mark',
    refused: to('claude-sonnet-4-5', { system: [marked({ scope: 'global' })] }),
    words: 'system.0.cache_control.ephemeral.scope: Extra inputs are not permitted',
    passes: to('claude-sonnet-4-5', { system: [marked({ ttl: '1h' })] }),
  },
  {
    rule: 'anthropic: ids of tool uses',
    refused: to('claude-sonnet-4-5', turns('a', [use('get_time:0')], [result('get_time:0')])),
    words: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    passes: to('claude-sonnet-4-5', turns('a', [use('get_time-0')], [result('get_time-0')])),
  },
  {
    rule: 'anthropic: ids of tool uses',
    refused: to('claude-sonnet-4-5', turns('a', [use('')], [result('')])),
    words: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    passes: to('claude-sonnet-4-5', turns('a', [use('a')], [result('a')])),
  },
]

const STRUCTURE: readonly Example[] = [
  {
    rule: 'anthropic: output limit',
    refused: to('claude-sonnet-4-5', { max_tokens: undefined }),
    words: 'max_tokens: Field required',
    passes: to('claude-sonnet-4-5', { max_tokens: 1 }),
  },
  {
    rule: 'anthropic: messages and their roles',
    refused: to('claude-sonnet-4-5', { messages: [{ role: 'tool', content: 'a' }] }),
    words: "messages.0.role: Input should be 'user' or 'assistant'",
    passes: to('claude-sonnet-4-5', turns('a', 'b', 'c')),
  },
  {
    rule: 'anthropic: empty text',
    refused: to('claude-sonnet-4-5', turns([{ type: 'text', text: '' }])),
    words: 'text content blocks must be non-empty',
    passes: to('claude-sonnet-4-5', turns([{ type: 'text', text: 'a' }])),
  },
  {
    rule: 'anthropic: blank text',
    refused: to('claude-sonnet-4-5', turns('a', [{ type: 'text', text: '\n' }, use()], [result()])),
    words: 'messages: text content blocks must contain non-whitespace text',
    passes: to('claude-sonnet-4-5', turns([{ type: 'text', text: ' ' }, marked()])),
  },
  {
    rule: 'anthropic: trailing space of a prefill',
    refused: to('claude-sonnet-4-5', turns('a', 'Well, ')),
    words: 'messages: final assistant content cannot end with trailing whitespace',
    passes: to('claude-sonnet-4-5', turns('a', 'Well, ', 'b')),
  },
  {
    rule: 'anthropic: declared tools',
    refused: to('claude-sonnet-4-5', { tools: [{ ...TOOL, name: text(129) }] }),
    words: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    passes: to('claude-sonnet-4-5', { tools: [{ ...TOOL, name: text(128) }] }),
  },
  ...['oneOf', 'anyOf', 'allOf'].map((keyword) => ({
    rule: 'anthropic: schemas of tools',
    refused: to('claude-sonnet-4-5', {
      tools: [{ ...TOOL, input_schema: { type: 'object', [keyword]: [{ properties: {} }] } }],
    }),
    words:
      'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
    passes: to('claude-sonnet-4-5', {
      tools: [{ ...TOOL, input_schema: { type: 'object', properties: { a: { [keyword]: [{}] } } } }],
    }),
  })),
  {
    rule: 'anthropic: order of cache marks',
    refused: to('claude-sonnet-4-5', { system: [marked()], ...turns([marked({ ttl: '1h' })]) }),
    words: "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after",
    passes: to('claude-sonnet-4-5', { system: [marked({ ttl: '1h' })], ...turns([marked({ ttl: '5m' })]) }),
  },
  {
    rule: 'anthropic: names of tools are unique',
    refused: to('claude-sonnet-4-5', { tools: [TOOL, TOOL] }),
    words: 'tools: Tool names must be unique.',
    passes: to('claude-sonnet-4-5', { tools: [TOOL, { ...TOOL, name: 'get_rain' }] }),
  },
  {
    rule: 'anthropic: images',
    refused: to(
      'claude-sonnet-4-5',
      turns([{ type: 'image', source: { type: 'base64', media_type: 'image/heic', data: 'AAAA' } }]),
    ),
    words: 'media_type: Input should be',
    passes: to(
      'claude-sonnet-4-5',
      turns([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }]),
    ),
  },
  ...(
    [
      ['image/png', '-_-_', 'image.source.base64: invalid base64 data'],
      ['image/png', '+/+/+w', 'image.source.base64: invalid base64 data'],
      ['image/png', '/9j/4AAQ/9k=', 'Image does not match the provided media type image/png'],
      ['image/jpeg', '/9j/4AAQ', 'Could not process image'],
    ] as const
  ).map(([media_type, data, words]): Example => {
    const picture = (source: Body) =>
      to('claude-sonnet-4-5', turns([{ type: 'image', source: { type: 'base64', ...source } }]))
    return {
      rule: 'anthropic: valid images',
      refused: picture({ media_type, data }),
      words,
      passes: picture({ media_type: 'image/jpeg', data: '/9j/4AAQ/9k=' }),
    }
  }),
  {
    rule: 'anthropic: tool uses and their results',
    refused: to('claude-sonnet-4-5', turns([result()])),
    words: 'unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.',
    passes: to('claude-sonnet-4-5', turns('a', [use()], [result()])),
  },
  {
    rule: 'anthropic: tool uses and their results',
    refused: to('claude-sonnet-4-5', turns('a', [use()], 'b')),
    words: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    passes: to('claude-sonnet-4-5', turns('a', [use()], [result(), { type: 'text', text: 'b' }])),
  },
  {
    rule: 'anthropic: signatures of thinking',
    refused: to('claude-sonnet-4-5', turns('a', [thought('Hm.')], 'b')),
    words: 'messages.1.content.0.thinking.signature: Field required',
    passes: to('claude-sonnet-4-5', turns('a', [thought('Hm.', { signature: sign('Hm.') }), marked()], 'b')),
  },
  {
    rule: 'anthropic: signatures of thinking',
    refused: to('claude-sonnet-4-5', turns('a', [thought('Hm.', { signature: 'Z2VtaW5p' })], 'b')),
    words: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    passes: to('claude-sonnet-4-5', turns('a', [thought('', { signature: sign('Hm.') })], 'b')),
  },
  {
    rule: 'anthropic: number of cache marks',
    refused: to('claude-sonnet-4-5', turns([marked(), marked(), marked(), marked(), marked()])),
    words: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    passes: to('claude-sonnet-4-5', turns([marked(), marked(), marked(), marked()])),
  },
]

const BY_GENERATION: readonly Example[] = [
  {
    rule: 'anthropic: budget of thinking',
    refused: to('claude-sonnet-4-5', { ...THINKING, max_tokens: 1_024 }),
    words: '`max_tokens` must be greater than `thinking.budget_tokens`.',
    passes: to('claude-sonnet-4-5', { ...THINKING, max_tokens: 1_025 }),
  },
  {
    rule: 'anthropic: budget of thinking',
    refused: to('claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 1_023 } }),
    words: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    passes: to('claude-sonnet-4-5', THINKING),
  },
  {
    rule: 'anthropic: thinking with a forced tool',
    refused: to('claude-sonnet-4-5', { ...THINKING, tools: [TOOL], tool_choice: { type: 'any' } }),
    words: 'Thinking may not be enabled when tool_choice forces tool use.',
    passes: to('claude-sonnet-4-5', { ...THINKING, tools: [TOOL], tool_choice: { type: 'auto' } }),
  },
  {
    rule: 'anthropic: thinking left out',
    refused: to('claude-sonnet-4-5', { ...turns('a', [use()], [result()]), ...THINKING }),
    words: 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.',
    passes: to('claude-sonnet-4-5', {
      ...turns('a', [thought('Hm.', { signature: sign('Hm.') }), use()], [result()]),
      ...THINKING,
    }),
  },
  {
    rule: 'anthropic: thinking left out',
    refused: to('claude-sonnet-4-5', { ...turns('a', 'Well,'), ...THINKING }),
    words: 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.',
    passes: to('claude-sonnet-4-5', { ...turns('a', 'Well,', 'b'), ...THINKING }),
  },
  {
    rule: 'anthropic: sampling with thinking',
    refused: to('claude-sonnet-4-5', { ...THINKING, temperature: 0.5 }),
    words: '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.',
    passes: to('claude-sonnet-4-5', { ...THINKING, temperature: 1 }),
  },
  {
    rule: 'anthropic: sampling with thinking',
    refused: to('claude-opus-4-6', { ...ADAPTIVE, top_k: 5 }),
    words: '`top_k` must be unset when thinking is enabled.',
    passes: to('claude-opus-4-6', { ...ADAPTIVE, top_p: 0.95 }),
  },
  {
    rule: 'anthropic: sampling by generation',
    refused: to('claude-sonnet-4-5', { temperature: 0.5, top_p: 0.5 }),
    words: '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    passes: to('claude-3-5-haiku-latest', { temperature: 0.5, top_p: 0.5 }),
  },
  {
    rule: 'anthropic: sampling by generation',
    refused: to('claude-opus-4-7', { temperature: 0 }),
    words: '`temperature` is deprecated for this model.',
    passes: to('claude-opus-4-6', { temperature: 0 }),
  },
  {
    rule: 'anthropic: type of thinking by generation',
    refused: to('claude-sonnet-5', THINKING),
    words: '\\"thinking.type.enabled\\" is not supported for this model.',
    passes: to('claude-sonnet-5', ADAPTIVE),
  },
  {
    rule: 'anthropic: type of thinking by generation',
    refused: to('claude-haiku-4-5', ADAPTIVE),
    words: 'adaptive thinking is not supported on this model',
    passes: to('claude-opus-4-6', THINKING),
  },
  ...(
    [
      ['claude-opus-5-5', 'disabled', 'claude-haiku-5-5'],
      ['claude-sonnet-5-5', 'disabled', 'claude-sonnet-5'],
      ['claude-fable-5-1', 'disabled', 'claude-opus-5'],
      ['claude-fable-5', 'disabled', 'claude-opus-4-8'],
      ['claude-haiku-5-5', 'between_tools', 'claude-sonnet-5-5'],
      ['claude-opus-5-5', 'between_tools', 'claude-sonnet-6'],
    ] as const
  ).map(([model, type, taking]) => ({
    rule: 'anthropic: type of thinking by generation',
    refused: to(model, { thinking: { type } }),
    words: `\\"thinking.type.${type}\\" is not supported for this model.`,
    passes: to(taking, { thinking: { type } }),
  })),
  ...['xhigh', 'max'].map((effort) => ({
    rule: 'anthropic: effort without thinking by generation',
    refused: to('claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort } }),
    words: `output_config.effort '${effort}' is not supported when thinking is disabled on this model.`,
    passes: to('claude-opus-5', { ...ADAPTIVE, output_config: { effort } }),
  })),
  ...['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1', 'claude-mythos-5-1'].map((model) => ({
    rule: 'anthropic: forced tools by generation',
    refused: to(model, { tools: [TOOL], tool_choice: { type: 'tool', name: TOOL.name } }),
    words: 'tool_choice: type \\"tool\\" and \\"any\\" are not supported for this model.',
    passes: to('claude-haiku-5-5', { tools: [TOOL], tool_choice: { type: 'tool', name: TOOL.name } }),
  })),
  {
    rule: 'anthropic: system messages by generation',
    refused: to('claude-opus-4-7', LATE_SYSTEM),
    words: "messages.3.role: role 'system' is not supported on this model",
    passes: to('claude-opus-4-8', LATE_SYSTEM),
  },
  {
    rule: 'anthropic: schemas by generation',
    refused: to('claude-sonnet-4-20250514', { tools: [{ ...TOOL, strict: true }] }),
    words: "'claude-sonnet-4-20250514' does not support strict tools.",
    passes: to('claude-opus-4-1', { tools: [{ ...TOOL, strict: true }] }),
  },
  {
    rule: 'anthropic: schemas by generation',
    refused: to('claude-3-7-sonnet-20250219', {
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    }),
    words: "'claude-3-7-sonnet-20250219' does not support output format.",
    passes: to('claude-haiku-4-5', {
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    }),
  },
  {
    rule: 'anthropic: effort by generation',
    refused: to('claude-haiku-4-5', { output_config: { effort: 'low' } }),
    words: 'This model does not support the effort parameter.',
    passes: to('claude-opus-4-5', { output_config: { effort: 'low' } }),
  },
  {
    rule: 'anthropic: effort by generation',
    refused: to('claude-sonnet-4-6', { output_config: { effort: 'xhigh' } }),
    words: "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    passes: to('claude-opus-4-7', { output_config: { effort: 'xhigh' } }),
  },
  {
    rule: 'anthropic: prefill by generation',
    refused: to('claude-opus-4-6', turns('a', 'Well,')),
    words:
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    passes: to('claude-haiku-4-5', turns('a', 'Well,')),
  },
]

export const ANTHROPIC_EXAMPLES: readonly Example[] = [...FIELDS, ...STRUCTURE, ...BY_GENERATION]
