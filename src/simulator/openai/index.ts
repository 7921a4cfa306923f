// The dialect of OpenAI's chat and embeddings APIs: paths, keys, framing.
import type { Call, Dialect, Framing, Query, Refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { readEmbedding } from './embeddings.ts'
import { readAsk } from './read.ts'
import { errorBody } from './refuse.ts'
import { writeEvents, writeWhole } from './write.ts'

const PATH = /\/(chat\/completions|embeddings)$/

/** A stream that ends with an error has no [DONE]. */
const SSE: Framing = {
  content_type: 'text/event-stream; charset=utf-8',
  before_first: 'data: ',
  before: 'data: ',
  after: '\n\n',
  after_last: 'data: [DONE]\n\n',
  after_error: '',
}

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
