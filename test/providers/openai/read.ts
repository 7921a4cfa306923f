// Reader of chat completion requests.
import { IMAGE_TOKENS } from '../answer.ts'
import type { Ask, FunctionDeclaration } from '../ask.ts'
import { pointsOf } from '../cache.ts'
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../json.ts'
import { countTokens } from '../tokens.ts'
import { callsOf, contentText, messagesOf, partsOf, promptText } from './messages.ts'

const DEFAULT_MAX_TOKENS = 16_384
const AUDIO_BYTES_PER_TOKEN = 250
const FILE_TOKENS = 258

/** Reads the fields that the answer depends on, of a request that breaks no rule. */
export function readAsk(body: JsonObject): Ask {
  const messages = messagesOf(body)
  return {
    ...readText(body, messages),
    ...readMedia(messages),
    ...readTools(body),
    uses_cache: false,
    seed: String(body.seed ?? ''),
    max_output_tokens:
      numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens) ?? DEFAULT_MAX_TOKENS,
    stops: (typeof body.stop === 'string' ? [body.stop] : listOf(body.stop)).map(textOf),
    candidate_count: numberOf(body.n) ?? 1,
    thinking_budget: BUDGETS.get(textOf(body.reasoning_effort)),
    // The server's form decides whether thoughts are visible.
    shows_thoughts: false,
    results: readResults(messages),
    called_turns: calledTurns(messages),
    json: readFormat(body),
    aspect_ratio: '',
    cache_points: readCachePoints(body, messages),
  }
}

/** In tokens of the simulator; with any other effort, the model decides. */
const BUDGETS = new Map([
  ['none', 0],
  ['minimal', 4],
  ['low', 32],
])

function readText(
  body: JsonObject,
  messages: readonly JsonObject[],
): Pick<Ask, 'prompt' | 'last_text' | 'declarations'> {
  const last = messages.findLast(({ role }) => role === 'user')
  return {
    prompt: messages
      .map(promptText)
      .filter((text) => text !== '')
      .join('\n'),
    last_text: last ? contentText(last) : '',
    declarations: body.tools === undefined ? '' : JSON.stringify(body.tools),
  }
}

function readMedia(
  messages: readonly JsonObject[],
): Pick<Ask, 'images' | 'audio_tokens' | 'document_tokens'> {
  const parts = messages.flatMap(partsOf)
  const audio = parts.filter(({ type }) => type === 'input_audio')
  const bytes = audio.reduce(
    (sum, { input_audio }) => sum + (textOf(objectOf(input_audio).data).length * 3) / 4,
    0,
  )
  return {
    images: imagesIn(parts),
    audio_tokens: Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN),
    document_tokens: parts.filter(({ type }) => type === 'file').length * FILE_TOKENS,
  }
}

const imagesIn = (parts: readonly JsonObject[]): number =>
  parts.filter(({ type }) => type === 'image_url').length

/** This API caches every prefix by itself; writing costs nothing. */
function readCachePoints(body: JsonObject, messages: readonly JsonObject[]): Ask['cache_points'] {
  const declarations = body.tools === undefined ? '' : JSON.stringify(body.tools)
  return pointsOf(textOf(body.model), [
    { content: declarations, tokens: countTokens(declarations), keep: '5m' },
    ...messages.map((message) => ({
      content: JSON.stringify(message),
      tokens: countTokens(promptText(message)) + imagesIn(partsOf(message)) * IMAGE_TOKENS,
      keep: '5m' as const,
    })),
  ])
}

function readFormat(body: JsonObject): Ask['json'] {
  const { type, json_schema } = objectOf(body.response_format)
  if (type === 'json_object') return { schema: { type: 'object' } }
  return type === 'json_schema' ? { schema: objectOf(json_schema).schema } : undefined
}

const CALLING = new Map<unknown, Ask['calling']>([
  ['required', 'any'],
  ['none', 'none'],
])

function readTools(body: JsonObject): Pick<Ask, 'functions' | 'calling' | 'parallel'> {
  const declared = listOf(body.tools).flatMap(readFunction)
  const named = textOf(objectOf(objectOf(body.tool_choice).function).name)
  return {
    functions: named === '' ? declared : declared.filter(({ name }) => name === named),
    calling: named === '' ? (CALLING.get(body.tool_choice) ?? 'auto') : 'any',
    parallel: body.parallel_tool_calls !== false,
  }
}

function readFunction(declared: unknown): FunctionDeclaration[] {
  const { name, parameters } = objectOf(objectOf(declared).function)
  return [{ name: textOf(name), schema: parameters ?? { type: 'object' } }]
}

const calledTurns = (messages: readonly JsonObject[]): number =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
    .filter((message) => callsOf(message).length > 0).length

/** The results of tools since the last message of another role. */
function readResults(messages: readonly JsonObject[]): Ask['results'] {
  const before = messages.findLastIndex(({ role }) => role !== 'tool')
  const calls = callsOf(messages[before])
  return messages.slice(before + 1).map((message) => ({
    name: textOf(objectOf(calls.find(({ id }) => id === message.tool_call_id)?.function).name),
    response: JSON.stringify(contentText(message)),
  }))
}
