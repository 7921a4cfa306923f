// Catalogue entries of known servers, and a fake of each, which accepts only requests that the real server would accept.

import { PROJECT } from './google.ts'
import { addressOf } from './known-network.ts'
import { type Answer, refusal, stream, type UpstreamRequest, whole } from './upstream.ts'

interface KnownRow {
  /** The lines of the entry besides its name and key. */
  entry: string
  /** `api_keys` of the entry; its own variable by default. */
  keys?: string
  /** The value in the header if it is not the key. */
  token?: () => string
  model?: string
  generation?: string
  /** The URL of a whole call. */
  url: string
  /** The URL of a stream, if it differs. */
  stream_url?: string
  /** The only header that may contain the key. */
  header: 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key'
}

const chat = (base_url: string): Pick<KnownRow, 'url' | 'header'> => ({
  url: `${base_url}/chat/completions`,
  header: 'authorization',
})
const OPENAI_SERVERS = {
  openai: 'https://api.openai.com/v1',
  mistral: 'https://api.mistral.ai/v1',
  groq: 'https://api.groq.com/openai/v1',
  deepseek: 'https://api.deepseek.com',
  xai: 'https://api.x.ai/v1',
  moonshot: 'https://api.moonshot.ai/v1',
  minimax: 'https://api.minimax.io/v1',
  together: 'https://api.together.xyz/v1',
  fireworks: 'https://api.fireworks.ai/inference/v1',
  cerebras: 'https://api.cerebras.ai/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  ollama: 'http://127.0.0.1:11434/v1',
  vllm: 'http://127.0.0.1:8000/v1',
}
const GEMINI = 'gemini-3.5-flash'
const gemini = (models: string): Pick<KnownRow, 'model' | 'generation' | 'url' | 'stream_url'> => ({
  model: GEMINI,
  generation: GEMINI,
  url: `${models}/${GEMINI}:generateContent`,
  stream_url: `${models}/${GEMINI}:streamGenerateContent?alt=sse`,
})
const CLAUDE = 'claude-haiku-4-5@20251001'
const place = (location: string) => `projects/${PROJECT}/locations/${location}/publishers`

/** @param token the token that stands for the service account in the file `vertex.json` */
export const knownRows = (token: () => string): readonly KnownRow[] => [
  ...Object.entries(OPENAI_SERVERS).map(([name, url]) => ({ entry: `server = "${name}"`, ...chat(url) })),
  {
    entry: 'server = "anthropic"',
    url: 'https://api.anthropic.com/v1/messages',
    header: 'x-api-key',
  },
  {
    entry: 'server = "deepseek"\nprotocol = "anthropic"',
    url: 'https://api.deepseek.com/anthropic/v1/messages',
    header: 'x-api-key',
  },
  {
    entry: 'server = "minimax"\nprotocol = "anthropic"',
    url: 'https://api.minimax.io/anthropic/v1/messages',
    header: 'x-api-key',
  },
  {
    entry: 'server = "google"',
    ...gemini('https://generativelanguage.googleapis.com/v1beta/models'),
    header: 'x-goog-api-key',
  },
  {
    entry: 'server = "azure"\nresource = "acme"',
    url: 'https://acme.openai.azure.com/openai/v1/chat/completions',
    header: 'api-key',
  },
  {
    entry: 'server = "azure"\nresource = "older"\napi_version = "2024-10-21"',
    model: 'our gpt',
    url: 'https://older.openai.azure.com/openai/deployments/our%20gpt/chat/completions?api-version=2024-10-21',
    header: 'api-key',
  },
  {
    entry:
      'server = "azure"\nbase_url = "https://named.openai.azure.com/openai/deployments/gpt"\napi_version = "2024-10-21"',
    url: 'https://named.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    header: 'api-key',
  },
  {
    entry: 'protocol = "openai"\nbase_url = "https://unnamed.openai.azure.com/openai/v1"',
    url: 'https://unnamed.openai.azure.com/openai/v1/chat/completions',
    header: 'api-key',
  },
  {
    entry: 'server = "foundry"\nresource = "acme"',
    url: 'https://acme.services.ai.azure.com/anthropic/v1/messages',
    header: 'x-api-key',
  },
  {
    entry: 'server = "foundry"\nprotocol = "openai"\nresource = "acme"',
    url: 'https://acme.services.ai.azure.com/openai/v1/chat/completions',
    header: 'api-key',
  },
  {
    entry: 'server = "bedrock"\nregion = "eu-west-1"',
    model: 'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic/v1/messages',
    header: 'authorization',
  },
  {
    entry: 'server = "bedrock"\nprotocol = "openai"\nregion = "cn-north-1"',
    ...chat('https://bedrock-runtime.cn-north-1.amazonaws.com.cn/openai/v1'),
  },
  {
    entry:
      'server = "bedrock"\nprotocol = "openai"\nbase_url = "https://bedrock-mantle.us-east-2.api.aws/openai/v1"',
    ...chat('https://bedrock-mantle.us-east-2.api.aws/openai/v1'),
  },
  {
    entry: 'server = "vertex"',
    keys: 'file:vertex.json',
    token,
    ...gemini(`https://aiplatform.googleapis.com/v1beta1/${place('global')}/google/models`),
    header: 'authorization',
  },
  {
    entry: 'server = "vertex"\nregion = "europe-west1"',
    keys: 'file:vertex.json',
    token,
    ...gemini(
      `https://europe-west1-aiplatform.googleapis.com/v1beta1/${place('europe-west1')}/google/models`,
    ),
    header: 'authorization',
  },
  {
    entry: 'server = "vertex"\nprotocol = "anthropic"\nregion = "eu"',
    keys: 'file:vertex.json',
    token,
    model: CLAUDE,
    url: `https://aiplatform.eu.rep.googleapis.com/v1/${place('eu')}/anthropic/models/${CLAUDE}:rawPredict`,
    stream_url: `https://aiplatform.eu.rep.googleapis.com/v1/${place('eu')}/anthropic/models/${CLAUDE}:streamRawPredict`,
    header: 'authorization',
  },
  {
    entry: 'server = "vertex"',
    ...gemini('https://aiplatform.googleapis.com/v1beta1/publishers/google/models'),
    header: 'x-goog-api-key',
  },
]

const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

export const TOOL = { name: 'get_weather', arguments: '{"city":"Paris"}' }
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Returns the first fault that a fake server finds in a request; undefined if there is none. @param key the key of the row */
export function faultIn(seen: UpstreamRequest, row: KnownRow, key: string): string | undefined {
  const { url, stream_url = url, header, token, model = 'm' } = row
  const body = JSON.parse(seen.body.toString())
  const streams = body.stream === true || seen.path.includes(':stream')
  const credential = token?.() ?? key
  const is_claude = /messages$|awPredict$/.test(url)
  const at_vertex = is_claude && row.entry.includes('vertex')
  const wanted: [part: string, has: unknown, needs: unknown][] = [
    ['method', seen.method, 'POST'],
    ['address', addressOf(seen), streams ? stream_url : url],
    ['type', seen.headers['content-type'], 'application/json'],
    [
      'keys',
      KEY_HEADERS.flatMap((name) => (seen.headers[name] === undefined ? [] : [[name, seen.headers[name]]])),
      [[header, header === 'authorization' ? `Bearer ${credential}` : credential]],
    ],
    ['model', body.model, at_vertex || url.includes(GEMINI) ? undefined : model],
    ['version', seen.headers['anthropic-version'], is_claude ? '2023-06-01' : undefined],
    ['body version', body.anthropic_version, at_vertex ? 'vertex-2023-10-16' : undefined],
    ['roles', body.contents?.map(({ role }: { role: string }) => role), body.contents && ['user']],
    ['picture', seen.body.includes(PICTURE), true],
    ['tool', seen.body.includes(TOOL.name), true],
  ]
  const wrong = wanted.find(([, has, needs]) => JSON.stringify(has) !== JSON.stringify(needs))
  return wrong && `${wrong[0]}: ${JSON.stringify(wrong[1])}, not ${JSON.stringify(wrong[2])}`
}

/** Answers with a call of the tool, 10 input tokens and 5 output tokens, in the protocol of the path. */
export function toolCall({ path, body }: UpstreamRequest): Answer {
  const args = JSON.parse(TOOL.arguments)
  const streams = path.includes(':stream') || JSON.parse(body.toString()).stream === true
  if (/\/messages$|awPredict$/.test(path)) return claude(streams, args)
  if (path.includes('enerateContent')) {
    const content = { role: 'model', parts: [{ functionCall: { name: TOOL.name, args } }] }
    const answer = {
      candidates: [{ content, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    }
    return streams ? stream({ event: answer }) : whole(answer)
  }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const call = { index: 0, id: 'callid123', type: 'function', function: TOOL }
  const choice = (part: string) => ({
    index: 0,
    [part]: { role: 'assistant', content: null, tool_calls: [call] },
    finish_reason: 'tool_calls',
  })
  return streams
    ? stream(
        { event: { object: 'chat.completion.chunk', choices: [choice('delta')] } },
        { event: { object: 'chat.completion.chunk', choices: [], usage } },
        { event: '[DONE]' },
      )
    : whole({ object: 'chat.completion', choices: [choice('message')], usage })
}

function claude(streams: boolean, input: object): Answer {
  const block = { type: 'tool_use', id: 'toolu_1', name: TOOL.name }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] }
  const usage = { input_tokens: 10, output_tokens: 5 }
  if (!streams) return whole({ ...message, content: [{ ...block, input }], stop_reason: 'tool_use', usage })
  const delta = { type: 'input_json_delta', partial_json: TOOL.arguments }
  return stream(
    { event: { type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } } },
    { event: { type: 'content_block_start', index: 0, content_block: { ...block, input: {} } } },
    { event: { type: 'content_block_delta', index: 0, delta } },
    { event: { type: 'content_block_stop', index: 0 } },
    { event: { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } } },
    { event: { type: 'message_stop' } },
  )
}

/** The answer of a fake server to an unknown request. */
export const refused = (status: number, message: string): Answer => refusal(status, { error: { message } })
