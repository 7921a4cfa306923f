// The text and token count endpoints of the three protocols. The gateway's own translators read requests and write answers.
import { NO_USAGE } from '../../../src/domain/usage.ts'
import { anthropic as messages } from '../../../src/protocols/anthropic/index.ts'
import type {
  AnswerContext,
  ConversationAnswer,
  StopReason,
  StreamEvent,
} from '../../../src/protocols/canonical/answer.ts'
import { type MediaPart, type Part, type Turn, textOf } from '../../../src/protocols/canonical/parts.ts'
import type { ConversationRequest } from '../../../src/protocols/canonical/request.ts'
import { gemini as native } from '../../../src/protocols/gemini/index.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { responses as openaiResponses } from '../../../src/protocols/openai/responses/index.ts'
import type { Translator } from '../../../src/protocols/protocol.ts'
import { type JsonObject, objectIn } from '../../../src/protocols/wire/json.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { answerTo, inputTokens } from '../answer.ts'
import { type Answer, type Ask, Refused } from '../ask.ts'
import type { Endpoint, Received, Served } from '../endpoint.ts'
import { lines, textIn } from '../json.ts'
import { hashOf, piecesOf } from '../text.ts'
import { OPENAI } from './openai.ts'

const CREATED_S = 1_750_000_000
const MAX_TOKENS = 16_384
const DOCUMENT_TOKENS = 258

const ofGemini = (path: RegExp): Pick<Endpoint, 'path' | 'keyOf' | 'modelOf' | 'refusalBody'> => ({
  path,
  keyOf: ({ headers, url }) => headers.get('x-goog-api-key') ?? new URL(url).searchParams.get('key') ?? '',
  modelOf: ({ pathname }) => decodeURIComponent(/\/models\/([^/:]+):/.exec(pathname)?.[1] ?? ''),
  refusalBody: ({ status, message }) => ({
    error: { code: status, message, status: GEMINI_STATUS.get(status) ?? 'UNKNOWN' },
  }),
})

const GEMINI_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
])

export const GEMINI_EMBEDDINGS = ofGemini(/:batchEmbedContents$/)

const OF_ANTHROPIC: Pick<Endpoint, 'keyOf' | 'modelOf' | 'refusalBody'> = {
  keyOf: ({ headers }) => headers.get('x-api-key') ?? '',
  modelOf: (_, { model }) => textIn(model),
  refusalBody: ({ status, message }) => ({
    type: 'error',
    error: { type: ANTHROPIC_TYPES.get(status) ?? 'api_error', message },
    request_id: `req_${hashOf(message)}`,
  }),
}

const ANTHROPIC_TYPES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
])

export const TEXT_ENDPOINTS: readonly Endpoint[] = [
  { ...ofGemini(/:(?:stream)?[gG]enerateContent$/), serve: (received) => answerIn(native.text, received) },
  {
    ...ofGemini(/:countTokens$/),
    serve({ model, body }) {
      const request = decodeRequest(native.text, objectIn(body.generateContentRequest ?? body), false)
      const totalTokens = inputTokens(askOf(model, request))
      return { json: { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] } }
    },
  },
  { ...OF_ANTHROPIC, path: /\/v1\/messages$/, serve: (received) => answerIn(messages.text, received) },
  {
    ...OF_ANTHROPIC,
    path: /\/v1\/messages\/count_tokens$/,
    serve({ model, body }) {
      const request = decodeRequest(messages.text, { ...body, max_tokens: 1 }, false)
      return { json: { input_tokens: inputTokens(askOf(model, request)) } }
    },
  },
  { ...OPENAI, path: /\/chat\/completions$/, serve: (received) => answerIn(openai.text, received) },
  { ...OPENAI, path: /\/responses$/, serve: (received) => answerIn(openaiResponses.text, received) },
]

async function answerIn(text: Translator, { url, model, body, behaviour }: Received): Promise<Served> {
  const streams = body.stream === true || url.pathname.endsWith(':streamGenerateContent')
  const request = decodeRequest(text, body, streams)
  const answer = await answerTo(askOf(model, request), behaviour)
  const { id } = answer
  const { shows_usage } = request
  const context: AnswerContext = { id, model, created_s: CREATED_S, shows_usage, request_fields: body }
  if (!streams) return { json: text.encodeAnswer(wholeOf(answer, model), context) }
  const encoder = text.createStreamEncoder(context)
  const records = eventsOf(answer, model).flatMap((event) => encoder.encode(event))
  // Without `alt=sse` Gemini sends a stream as one JSON array.
  if (url.pathname.endsWith('Content') && url.searchParams.get('alt') !== 'sse')
    return { bytes: `[${records.map(({ data }) => data).join(',\r\n')}]`, content_type: 'application/json' }
  return {
    events: records.map(
      ({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`,
    ),
  }
}

/** @throws Refused for a malformed request */
function decodeRequest(text: Translator, body: JsonObject, streams: boolean): ConversationRequest {
  let request: ConversationRequest
  try {
    request = text.decodeRequest(body, streams)
  } catch (error) {
    throw new Refused(400, messageOf(error))
  }
  if (request.turns.length + request.system.length === 0) throw new Refused(400, 'The request has no input.')
  return request
}

function askOf(model: string, request: ConversationRequest): Ask {
  const { system, turns, tools, tool_choice, output, images } = request
  const parts = turns.flatMap((turn) => turn.parts)
  const media = parts.flatMap((part) => (part.kind === 'tool_result' ? part.content : part)).filter(isMedia)
  const pictures = media.filter(({ kind }) => kind === 'image')
  const names = tool_choice?.mode === 'named' ? tool_choice.names : undefined
  const of_named = tool_choice?.mode === 'named' && tool_choice.required ? 'any' : 'auto'
  const calling = tool_choice && tool_choice.mode !== 'named' ? tool_choice.mode : of_named
  const last = turns.findLast(
    ({ role, parts: own }) => role === 'user' && own.some(({ kind }) => kind === 'text'),
  )
  return {
    model,
    prompt: lines([...system, ...parts.map(promptText)]),
    last_text: textOf(last?.parts ?? []),
    images: pictures.map(({ source }) => (source.by === 'data' ? source.data : '')),
    media_tokens: (media.length - pictures.length) * DOCUMENT_TOKENS,
    tools: tools
      .filter(({ name }) => names?.includes(name) ?? true)
      .map(({ name, parameters }) => ({ name, schema: parameters })),
    calling,
    results: resultsOf(turns.at(-1)),
    json: output && { schema: output.kind === 'json_schema' ? output.schema : undefined },
    max_tokens: request.max_output_tokens ?? MAX_TOKENS,
    stops: request.stop,
    shape: images ? (images.aspect_ratio ?? '') : '',
  }
}

const isMedia = (part: Part): part is MediaPart =>
  part.kind === 'image' || part.kind === 'audio' || part.kind === 'document'

const resultsOf = (turn: Turn | undefined): string[] =>
  (turn?.parts ?? []).flatMap((part) => (part.kind === 'tool_result' ? [textOf(part.content)] : []))

function promptText(part: Part): string {
  if (part.kind === 'tool_call') return JSON.stringify({ name: part.name, arguments: part.arguments })
  if (part.kind === 'tool_result') return textOf(part.content)
  return part.kind === 'text' ? part.text : ''
}

function partsOf({ text, calls, pictures }: Answer): Part[] {
  return [
    ...(text.length > 0 ? [{ kind: 'text' as const, text: text.join('') }] : []),
    ...calls.map(({ id, name, args }) => ({
      kind: 'tool_call' as const,
      id: `call_${id}`,
      name,
      arguments: objectIn(args),
    })),
    ...pictures.map((data) => ({
      kind: 'image' as const,
      source: { by: 'data' as const, mime_type: 'image/png', data },
      at: '',
    })),
  ]
}

const usageOf = ({ usage }: Answer) => ({
  ...NO_USAGE,
  input_tokens: usage.input,
  output_tokens: usage.output - usage.pictures,
  output_image_tokens: usage.pictures,
})

function endOf({ finish, calls, stopped_by }: Answer) {
  const ended = stopped_by === undefined ? 'stop' : 'stop_sequence'
  const stop_reason: StopReason = finish === 'length' ? 'length' : calls.length > 0 ? 'tool_use' : ended
  return { stop_reason, stop_sequence: stopped_by }
}

const wholeOf = (answer: Answer, model: string): ConversationAnswer => ({
  id: answer.id,
  model,
  candidates: [{ parts: partsOf(answer), ...endOf(answer), logprobs: undefined }],
  usage: usageOf(answer),
})

function eventsOf(answer: Answer, model: string): StreamEvent[] {
  const usage = usageOf(answer)
  return [
    { type: 'start', id: answer.id, model, usage: { ...usage, output_tokens: 0, output_image_tokens: 0 } },
    ...partsOf(answer).flatMap((part) => partEvents(part, answer)),
    { type: 'candidate_end', candidate: 0, ...endOf(answer) },
    { type: 'usage', usage },
    { type: 'end' },
  ]
}

function partEvents(part: Part, { text }: Answer): StreamEvent[] {
  const candidate = 0
  if (part.kind === 'image') return [{ type: 'image', candidate, image: part }]
  const end: StreamEvent = { type: 'part_end', candidate }
  if (part.kind === 'tool_call') {
    const { kind, id, name } = part
    const json = JSON.stringify(part.arguments)
    return [
      { type: 'part_start', candidate, part: { kind, id, name } },
      { type: 'arguments_delta', candidate, json },
      end,
    ]
  }
  return [
    { type: 'part_start', candidate, part: { kind: 'text' } },
    ...piecesOf(text).map((piece): StreamEvent => ({ type: 'text_delta', candidate, text: piece })),
    end,
  ]
}
