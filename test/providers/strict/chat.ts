// Examples of the rules of OpenAI and of the other servers of chat completions.
import { sparseGif } from '../../media/crafted.ts'
import { type Body, type Call, type Example, text } from './example.ts'

const user = (content: unknown = 'Tides?'): Body => ({ role: 'user', content })
const functionOf = (name: string): Body => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
})
const TOOLS = [functionOf('get_time')]
const callOf = (id: string): Body => ({
  id,
  type: 'function',
  function: { name: 'get_time', arguments: '{}' },
})
const resultOf = (tool_call_id: string): Body => ({ role: 'tool', tool_call_id, content: 'nine' })
/** A tool loop at its second turn. */
const loop = (id: string, assistant: Body = {}): Body => ({
  messages: [
    user(),
    { role: 'assistant', content: null, tool_calls: [callOf(id)], ...assistant },
    resultOf(id),
  ],
})

/** A request to a server; its model first. */
const to =
  (server: string) =>
  (model: string, more: Body = {}): Call => ({
    path: `/${server}/v1/chat/completions`,
    body: { model, messages: [user()], ...more },
  })

const image = (mime: string, data: string): Body => ({
  messages: [user([{ type: 'image_url', image_url: { url: `data:${mime};base64,${data}` } }])],
})
const gif = (frames: number): string => sparseGif({ width: 9, height: 9 }, frames).toBase64()

const openai = to('openai')
const openrouter = to('openrouter')
const groq = to('groq')
const deepseek = to('deepseek')
const mistral = to('mistral')
const xai = to('xai')
const moonshot = to('moonshot')
const ollama = to('ollama')

const OPENAI: readonly Example[] = [
  {
    rule: 'openai: unknown field',
    refused: openai('gpt-4.1', { thinking: { type: 'enabled' } }),
    words: `"message":"Unknown parameter: 'thinking'.","type":"invalid_request_error","param":"thinking","code":"unknown_parameter"`,
    passes: openai('gpt-4.1', { verbosity: 'low' }),
  },
  {
    rule: 'openai: length of user',
    refused: openai('gpt-4.1', { user: text(65) }),
    words: `Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.`,
    passes: openai('gpt-4.1', { user: text(64) }),
  },
  {
    rule: 'openai: length of safety_identifier',
    refused: openai('gpt-4.1', { safety_identifier: text(129) }),
    words: `Invalid 'safety_identifier': string too long. Expected a string with maximum length 128`,
    passes: openai('gpt-4.1', { safety_identifier: text(128) }),
  },
  {
    rule: 'openai: length of tool names',
    refused: openai('gpt-4.1', { tools: [functionOf(text(65))] }),
    words: `Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64`,
    passes: openai('gpt-4.1', { tools: [functionOf(text(64))] }),
  },
  {
    rule: 'openai: letters of tool names',
    refused: openai('gpt-4.1', { tools: [functionOf('get.time')] }),
    words: `Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    passes: openai('gpt-4.1', { tools: [functionOf('get-time_2')] }),
  },
  {
    rule: 'openai: length of tool call ids',
    refused: openai('gpt-4.1', loop(text(65))),
    words: `Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 64`,
    passes: openai('gpt-4.1', loop(text(64))),
  },
  {
    rule: 'openai: metadata',
    refused: openai('gpt-4.1', { store: true, metadata: { user_id: text(513) } }),
    words: `Invalid 'metadata.user_id': string too long. Expected a string with maximum length 512`,
    passes: openai('gpt-4.1', { store: true, metadata: { user_id: text(512) } }),
  },
  {
    rule: 'openai: metadata',
    refused: openai('gpt-4.1', {
      store: true,
      metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`name${at}`, 'x'])),
    }),
    words: `Invalid 'metadata': too many properties.`,
    passes: openai('gpt-4.1', { store: true, metadata: {} }),
  },
  {
    rule: 'openai: metadata without store',
    refused: openai('gpt-4.1', { store: false, metadata: { team: 'a' } }),
    words: `The 'metadata' parameter is only allowed when 'store' is enabled.`,
    passes: openai('gpt-4.1', { store: true, metadata: { team: 'a' } }),
  },
  {
    rule: 'openai: JSON without the word',
    refused: openai('gpt-4.1', { response_format: { type: 'json_object' } }),
    words: `'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.`,
    passes: openai('gpt-4.1', {
      response_format: { type: 'json_object' },
      messages: [user('The time of tides, as JSON.')],
    }),
  },
  {
    rule: 'openai: stop sequences',
    refused: openai('gpt-4.1', { stop: ['a', 'b', 'c', 'd', 'e'] }),
    words: `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 instead.`,
    passes: openai('gpt-4.1', { stop: ['a', 'b', 'c', 'd'] }),
  },
  {
    rule: 'chat: messages and their roles',
    refused: openai('gpt-4.1', { messages: [{ role: 'model', content: 'a' }] }),
    words: `Invalid value: 'model'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool'.`,
    passes: openai('gpt-4.1', { messages: [{ role: 'developer', content: 'a' }, user()] }),
  },
  {
    rule: 'chat: parts of messages',
    refused: openai('gpt-4.1', { messages: [user([{ type: 'video', text: 'a' }])] }),
    words: `"param":"messages[0].content[0].type"`,
    passes: openai('gpt-4.1', { messages: [user([{ type: 'text', text: 'a' }])] }),
  },
  ...(
    [
      ['-_-_', 'Expected a base64-encoded data URL with an image MIME type'],
      ['/9j/4AAQ', 'You uploaded an unsupported image.'],
    ] as const
  ).map(([data, words]): Example => {
    const picture = (bytes: string) =>
      openai('gpt-4.1', {
        messages: [user([{ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${bytes}` } }])],
      })
    return {
      rule: 'chat: valid images',
      refused: picture(data),
      words,
      passes: picture('/9j/4AAQ/9k='),
    }
  }),
  ...(
    [
      ['openai', 'image/bmp', 'Qk0=', "one the following formats: ['png', 'jpeg', 'gif', 'webp']"],
      ['openrouter', 'image/bmp', 'Qk0=', 'Invalid image URL.'],
      ['mistral', 'image/bmp', 'Qk0=', 'Allowed formats are JPEG,PNG,WEBP,GIF.'],
      ['xai', 'image/webp', 'UklGRg==', 'does not contain a valid JPG or PNG image'],
    ] as const
  ).map(([server, mime, data, words]): Example => {
    const model = { openai: 'gpt-4.1', openrouter: 'a/b', mistral: 'pixtral-12b-2409', xai: 'grok-4' }[server]
    return {
      rule: `${server}: types of images`,
      refused: to(server)(model, image(mime, data)),
      words,
      passes: to(server)(model, image('image/png', 'iVBORw0K')),
    }
  }),
  {
    rule: 'openai: animated images',
    refused: openai('gpt-4.1', image('image/gif', gif(2))),
    words: 'You uploaded an unsupported image.',
    passes: openai('gpt-4.1', image('image/gif', gif(1))),
  },
  {
    rule: 'chat: tool calls and their results',
    refused: openai('gpt-4.1', { messages: [user(), resultOf('call_1')] }),
    words: `messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
    passes: openai('gpt-4.1', loop('call_1')),
  },
  {
    rule: 'chat: output limits and choices',
    refused: openai('gpt-4.1', { n: 129 }),
    words: `Invalid 'n': integer above maximum value.`,
    passes: openai('gpt-4.1', { n: 2 }),
  },
  {
    rule: 'chat: declared tools',
    refused: openai('gpt-4.1', { tool_choice: 'auto' }),
    words: `'tool_choice' is only allowed when 'tools' are specified.`,
    passes: openai('gpt-4.1', { tool_choice: 'auto', tools: TOOLS }),
  },
  {
    rule: 'chat: response format',
    refused: openai('gpt-4.1', { response_format: { type: 'json_schema', json_schema: { schema: {} } } }),
    words: `Missing required parameter: 'response_format.json_schema.name'.`,
    passes: openai('gpt-4.1', {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    }),
  },
  {
    rule: 'chat: log probabilities',
    refused: openai('gpt-4.1', { top_logprobs: 2 }),
    words: `The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.`,
    passes: openai('gpt-4.1', { top_logprobs: 2, logprobs: true }),
  },
  {
    rule: 'chat: stream options',
    refused: openai('gpt-4.1', { stream_options: { include_usage: true } }),
    words: `The 'stream_options' parameter is only allowed when 'stream' is enabled.`,
    passes: openai('gpt-4.1', { stream_options: { include_usage: true }, stream: true }),
  },
  {
    rule: 'openai: max_tokens of reasoning models',
    refused: openai('gpt-5.4', { max_tokens: 9 }),
    words: `Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.`,
    passes: openai('gpt-5.4', { max_completion_tokens: 9 }),
  },
  {
    rule: 'openai: max_tokens of reasoning models',
    refused: openai('o4-mini', { max_tokens: 9 }),
    words: `"code":"unsupported_parameter"`,
    passes: openai('gpt-4.1', { max_tokens: 9 }),
  },
  {
    rule: 'openai: reasoning_effort by generation',
    refused: openai('gpt-5', { reasoning_effort: 'none' }),
    words: `Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.`,
    passes: openai('gpt-5', { reasoning_effort: 'minimal' }),
  },
  {
    rule: 'openai: reasoning_effort by generation',
    refused: openai('gpt-5.1', { reasoning_effort: 'minimal' }),
    words: `Supported values are: 'none', 'low', 'medium', and 'high'.`,
    passes: openai('gpt-5.2', { reasoning_effort: 'xhigh' }),
  },
  {
    rule: 'openai: reasoning_effort by generation',
    refused: openai('gpt-4o', { reasoning_effort: 'none' }),
    words: `Unrecognized request argument supplied: reasoning_effort`,
    passes: openai('gpt-5.6-terra', { reasoning_effort: 'max' }),
  },
  {
    rule: 'openai: reasoning_effort by generation',
    refused: openai('o4-mini', { reasoning_effort: 'xhigh' }),
    words: `does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.`,
    passes: openai('o4-mini', { reasoning_effort: 'high' }),
  },
  {
    rule: 'openai: reasoning_effort by generation',
    refused: openai('gpt-5.2-chat-latest', { reasoning_effort: 'high' }),
    words: `does not support 'high' with this model. Supported values are: 'medium'.`,
    passes: openai('gpt-5.2-chat-latest', { reasoning_effort: 'medium' }),
  },
  {
    rule: 'openai: sampling by generation',
    refused: openai('gpt-5', { temperature: 0.7 }),
    words: `Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.`,
    passes: openai('gpt-5', { temperature: 1 }),
  },
  {
    rule: 'openai: sampling by generation',
    refused: openai('gpt-5.1', { top_p: 0.5, reasoning_effort: 'low' }),
    words: `Unsupported parameter: 'top_p' is not supported with this model.`,
    passes: openai('gpt-5.1', { top_p: 0.5 }),
  },
  {
    rule: 'openai: stop by generation',
    refused: openai('o3', { stop: ['.'] }),
    words: `Unsupported parameter: 'stop' is not supported with this model.`,
    passes: openai('gpt-5.5', { stop: ['.'] }),
  },
  {
    rule: 'openai: parallel_tool_calls by generation',
    refused: openai('o4-mini', { parallel_tool_calls: false, tools: TOOLS }),
    words: `Unsupported parameter: 'parallel_tool_calls' is not supported with this model.`,
    passes: openai('gpt-5', { parallel_tool_calls: false, tools: TOOLS }),
  },
  {
    rule: 'openai: models of the Responses API only',
    refused: openai('gpt-5.2-codex'),
    status: 404,
    words: `This model is only supported in v1/responses and not in v1/chat/completions.`,
    passes: openai('gpt-5.2'),
  },
  {
    rule: 'openai: reasoning with function tools',
    refused: openai('gpt-5.4', { tools: TOOLS, reasoning_effort: 'low' }),
    words: `Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.`,
    passes: openai('gpt-5.4', { tools: TOOLS }),
  },
  {
    rule: 'openai: reasoning with function tools',
    refused: openai('gpt-5.6', { tools: TOOLS }),
    words: `To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    passes: openai('gpt-5.6', { tools: TOOLS, reasoning_effort: 'none' }),
  },
]

const ROUTERS: readonly Example[] = [
  {
    rule: 'openrouter: length of user',
    refused: openrouter('openai/gpt-5', { user: text(129) }),
    words: `Invalid 'user': string too long.`,
    passes: openrouter('openai/gpt-5', { user: text(128), transforms: [] }),
  },
  {
    rule: 'openrouter: reasoning twice',
    refused: openrouter('openai/gpt-5', { reasoning: { effort: 'low' }, reasoning_effort: 'low' }),
    words: `Only one of \\"reasoning\\" and \\"reasoning_effort\\" may be provided`,
    passes: openrouter('openai/gpt-5', { reasoning: { effort: 'low' } }),
  },
  {
    rule: 'openrouter: effort and max_tokens of reasoning',
    refused: openrouter('openai/gpt-5', { reasoning: { effort: 'low', max_tokens: 2_000 } }),
    words: `Only one of \\"reasoning.effort\\" and \\"reasoning.max_tokens\\" can be specified`,
    passes: openrouter('openai/gpt-5', { reasoning: { max_tokens: 2_000 } }),
  },
  {
    rule: 'groq: unknown field',
    refused: groq('llama-3.3-70b-versatile', { reasoning: { effort: 'low' } }),
    words: `"message":"property 'reasoning' is unsupported","type":"invalid_request_error"`,
    passes: groq('openai/gpt-oss-120b', { reasoning_effort: 'low' }),
  },
  {
    rule: 'groq: unknown field of a message',
    refused: groq('openai/gpt-oss-120b', loop('call_1', { reasoning_content: 'Hm.' })),
    words: `'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]`,
    passes: groq('openai/gpt-oss-120b', loop('call_1', { reasoning: 'Hm.' })),
  },
  {
    rule: 'groq: unknown field of a message',
    refused: groq('moonshotai/kimi-k2-instruct', loop('call_1', { reasoning: '' })),
    words: `messages[1].reasoning: reasoning is not supported with this model`,
    passes: groq('moonshotai/kimi-k2-instruct', loop('call_1')),
  },
  {
    rule: 'groq: log probabilities and several choices',
    refused: groq('llama-3.3-70b-versatile', { n: 2 }),
    words: `'n' : number must be at most 1`,
    passes: groq('llama-3.3-70b-versatile', { n: 1, logprobs: false }),
  },
  {
    rule: 'ollama: reasoning_effort',
    refused: ollama('qwen3', { reasoning_effort: 'minimal' }),
    words: `invalid reasoning value: 'minimal' (must be \\"high\\", \\"medium\\", \\"low\\", \\"max\\", or \\"none\\")`,
    passes: ollama('qwen3', { reasoning_effort: 'max', think: true }),
  },
]

const PROVIDERS: readonly Example[] = [
  {
    rule: 'deepseek: thinking left out of a tool loop',
    refused: deepseek('deepseek-reasoner', loop('call_1')),
    words: 'Missing `reasoning_content` field in the assistant message at message index 1.',
    passes: deepseek('deepseek-reasoner', loop('call_1', { reasoning_content: 'Hm.' })),
  },
  {
    rule: 'deepseek: thinking left out of a tool loop',
    refused: deepseek('deepseek-v4-pro', loop('call_1')),
    words: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
    passes: deepseek('deepseek-v4-pro', { ...loop('call_1'), thinking: { type: 'disabled' } }),
  },
  {
    rule: 'deepseek: JSON by a schema',
    refused: deepseek('deepseek-v4-flash', {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    }),
    words: `"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"`,
    passes: deepseek('deepseek-v4-flash', {
      response_format: { type: 'json_object' },
      messages: [user('The time of tides, as json.')],
    }),
  },
  {
    rule: 'deepseek: JSON without the word',
    refused: deepseek('deepseek-chat', { response_format: { type: 'json_object' } }),
    words: `Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.`,
    passes: deepseek('deepseek-chat', {
      response_format: { type: 'json_object' },
      messages: [{ role: 'system', content: 'Answer in JSON.' }, user()],
    }),
  },
  {
    rule: 'deepseek: length of tool names',
    refused: deepseek('deepseek-chat', { tools: [functionOf(text(71))] }),
    words: `Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 71 instead.`,
    passes: deepseek('deepseek-chat', { tools: [functionOf(text(64))] }),
  },
  {
    rule: 'mistral: messages',
    refused: mistral('mistral-large-latest', { messages: [] }),
    status: 422,
    words: `"type":"missing","loc":["body","messages"],"msg":"Field required"`,
    passes: mistral('mistral-large-latest'),
  },
  {
    rule: 'mistral: unknown field',
    refused: mistral('mistral-large-latest', { store: false, max_completion_tokens: 9 }),
    status: 422,
    words: `{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted","input":false},{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":9}]}`,
    passes: mistral('mistral-large-latest', { max_tokens: 9, random_seed: 1 }),
  },
  {
    rule: 'mistral: unknown field of a message',
    refused: mistral('mistral-large-latest', loop('abcdefghi', { reasoning_content: 'Hm.' })),
    status: 422,
    words: `"loc":["body","messages",1,"assistant","reasoning_content"]`,
    passes: mistral(
      'mistral-large-latest',
      loop('abcdefghi', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
    ),
  },
  {
    rule: 'mistral: ids of tool calls',
    refused: mistral('mistral-large-latest', loop('call_1')),
    words: `"message":"Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call"`,
    passes: mistral('mistral-large-latest', loop('D681PevKs')),
  },
  {
    rule: 'mistral: order of messages',
    refused: mistral('mistral-large-latest', {
      messages: [...(loop('D681PevKs').messages as Body[]), user('And now?')],
    }),
    words: `"message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order"`,
    passes: mistral('mistral-large-latest', { messages: [user(), user('And now?')] }),
  },
  {
    rule: 'mistral: order of messages',
    refused: mistral('mistral-large-latest', { messages: [user(), { role: 'assistant', content: 'Well' }] }),
    words: 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    passes: mistral('mistral-large-latest', {
      messages: [user(), { role: 'assistant', content: 'Well', prefix: true }],
    }),
  },
  {
    rule: 'xai: penalties and stop of reasoning models',
    refused: xai('grok-4.5', { presence_penalty: 0 }),
    words: `"error":"Model grok-4.5 does not support parameter presencePenalty."`,
    passes: xai('grok-4.5', { temperature: 0.5 }),
  },
  {
    rule: 'xai: penalties and stop of reasoning models',
    refused: xai('grok-4', { stop: ['.'] }),
    words: 'Model grok-4 does not support parameter stop.',
    passes: xai('grok-4-fast-non-reasoning', { stop: ['.'] }),
  },
  {
    rule: 'xai: reasoning_effort by model',
    refused: xai('grok-4-fast-reasoning', { reasoning_effort: 'low' }),
    words: 'Model grok-4-fast-reasoning does not support parameter reasoningEffort.',
    passes: xai('grok-4.3', { reasoning_effort: 'low' }),
  },
  {
    rule: 'moonshot: thinking left out of a tool loop',
    refused: moonshot('kimi-k2.6', loop('get_time:0')),
    words: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
    passes: moonshot('kimi-k2.6', loop('get_time:0', { reasoning_content: 'Hm.' })),
  },
  {
    rule: 'moonshot: temperature of thinking models',
    refused: moonshot('kimi-k2.6', { temperature: 0.7 }),
    words: 'invalid temperature: only 1 is allowed for this model',
    passes: moonshot('kimi-k2.6', { temperature: 0.6, thinking: { type: 'disabled' } }),
  },
  {
    rule: 'moonshot: thinking is an object',
    refused: moonshot('kimi-k2-thinking', { thinking: true }),
    words: 'the thinking field in the request (expected type object) is illegal, and bool is not acceptable',
    passes: moonshot('kimi-k2-thinking', { thinking: { type: 'enabled' } }),
  },
]

export const CHAT_EXAMPLES: readonly Example[] = [...OPENAI, ...ROUTERS, ...PROVIDERS]
