// The dialect of OpenAI's chat and embeddings APIs: paths, keys, framing.
import { type Call, type Dialect, EVENT_STREAM, type Framing, type Query, type Refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { readEmbedding } from './embeddings.ts'
import { readAsk } from './read.ts'
import { writeEvents, writeWhole } from './write.ts'

/** https://platform.openai.com/docs/guides/error-codes */
const TYPES = new Map<number, readonly [type: string, code: string | null]>([
  [400, ['invalid_request_error', null]],
  [401, ['invalid_request_error', 'invalid_api_key']],
  [403, ['request_forbidden', 'unsupported_country_region_territory']],
  [404, ['invalid_request_error', 'model_not_found']],
  [429, ['requests', 'rate_limit_exceeded']],
])

function errorBody({ status, message, field }: Refusal): JsonObject {
  const [type, code] = TYPES.get(status) ?? ['server_error', null]
  return { error: { message, type, param: field ?? null, code } }
}

const PATH = /\/(chat\/completions|embeddings)$/

/** A stream that ends with an error has no [DONE]. */
const SSE: Framing = { ...EVENT_STREAM, after_last: 'data: [DONE]\n\n' }

function read(url: URL, body: JsonObject): Call | Query | Refusal {
  const model = textOf(body.model)
  if (model === '') return { status: 400, message: 'you must provide a model parameter' }
  if (url.pathname.endsWith('/embeddings')) return readEmbedding(model, body)
  const ask = readAsk(body)
  if ('status' in ask) return ask
  return { model, framing: body.stream === true ? SSE : undefined, ask, body }
}

export const openai: Dialect = {
  name: 'openai',
  serves: (path) => PATH.test(path),
  keyOf: (request) => (request.headers.get('authorization') ?? '').replace(/^Bearer /, ''),
  read,
  whole: writeWhole,
  events: writeEvents,
  refuse: (refusal) => ({
    headers: {
      'content-type': 'application/json',
      ...(refusal.status === 429 ? { 'retry-after': '7' } : {}),
    },
    body: JSON.stringify(errorBody(refusal), null, 2),
  }),
  refusals: {
    bad_key: { status: 401, message: 'Incorrect API key provided.', bad_key: true },
    overloaded: { status: 503, message: 'The server is currently overloaded. Please try again later.' },
    field: 'messages',
    missing: (model) => ({
      status: 404,
      message: `The model \`${model}\` does not exist or you do not have access to it.`,
    }),
  },
  streamError: (refusal) => JSON.stringify(errorBody(refusal)),
}
