// The dialect of the Gemini API: paths, keys, framing.
import { IMAGE_TOKENS, NO_USAGE } from '../answer.ts'
import type { Ask } from '../ask.ts'
import { type Call, type Dialect, EVENT_STREAM, type Framing, type Query, type Refusal } from '../dialect.ts'
import { type JsonObject, objectOf } from '../json.ts'
import { type Rule, refusalBy } from '../rule.ts'
import { countTokens } from '../tokens.ts'
import { readEmbedding } from './embeddings.ts'
import { FIELD_RULES } from './fields.ts'
import { readAsk } from './read.ts'
import { errorBody } from './refuse.ts'
import { STRUCTURE_RULES } from './structure.ts'
import { writeEvents, writeWhole } from './write.ts'

const PATH = /\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/

/** The API ends its lines with CR LF. */
const SSE: Framing = { ...EVENT_STREAM, content_type: 'text/event-stream', after: '\r\n\r\n' }

/** Without `alt=sse` a stream is one JSON array, sent element by element. */
const ARRAY: Framing = {
  content_type: 'application/json; charset=UTF-8',
  before_first: '[',
  before: ',\r\n',
  after: '\n',
  after_last: ']\n',
  after_error: ']\n',
}

export const RULES: readonly Rule[] = [...FIELD_RULES, ...STRUCTURE_RULES]

function read(url: URL, body: JsonObject, headers: Headers): Call | Query | Refusal {
  const [, encoded_model = '', action = ''] = PATH.exec(url.pathname) ?? []
  if (action === 'batchEmbedContents') return readEmbedding(decodeURIComponent(encoded_model), body)
  const model = decodeURIComponent(encoded_model)
  // A request to count tokens may contain the whole request.
  const input = { model, body: objectOf(body.generateContentRequest ?? body), headers }
  if (action === 'countTokens') return refusalBy(RULES, input) ?? counting(model, readAsk(input.body))
  if (action !== 'generateContent' && action !== 'streamGenerateContent') {
    return { status: 404, message: `The method ${action} is not found.` }
  }
  const refused = refusalBy(RULES, input)
  if (refused) return refused
  const ask = readAsk(body)
  const stream = url.searchParams.get('alt') === 'sse' ? SSE : ARRAY
  return {
    model,
    framing: action === 'streamGenerateContent' ? stream : undefined,
    ask,
    body,
  }
}

/** https://ai.google.dev/api/tokens#method:-models.counttokens */
function counting(model: string, ask: Ask): Query {
  const text = Math.max(1, countTokens(ask.prompt) + countTokens(ask.declarations))
  const totalTokens = text + ask.images * IMAGE_TOKENS + ask.document_tokens
  const promptTokensDetails = [{ modality: 'TEXT', tokenCount: totalTokens }]
  return {
    model,
    respond: () => ({ body: JSON.stringify({ totalTokens, promptTokensDetails }), totals: NO_USAGE }),
  }
}

export const gemini: Dialect = {
  name: 'gemini',
  serves: (path) => PATH.test(path),
  keyOf: (request, url) => request.headers.get('x-goog-api-key') ?? url.searchParams.get('key') ?? '',
  read,
  whole: writeWhole,
  events: writeEvents,
  refuse: (refusal) => ({
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: `${JSON.stringify(errorBody(refusal), null, 2)}\n`,
  }),
  refusals: {
    bad_key: { status: 400, message: 'API key not valid. Please pass a valid API key.', bad_key: true },
    overloaded: { status: 503, message: 'The model is overloaded. Please try again later.' },
    field: 'contents',
    missing: (model) => ({ status: 404, message: `models/${model} is not found.` }),
  },
  streamError: (refusal) => JSON.stringify(errorBody(refusal)),
}
