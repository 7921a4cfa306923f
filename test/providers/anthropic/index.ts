// The dialect of the messages API: paths, keys, framing, and the counting of tokens.

import { IMAGE_TOKENS, NO_USAGE } from '../answer.ts'
import type { Ask } from '../ask.ts'
import { type Call, type Dialect, EVENT_STREAM, type Framing, type Query, type Refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { type Rule, refusalBy } from '../rule.ts'
import { countTokens } from '../tokens.ts'
import { FIELD_RULES } from './fields.ts'
import { readAsk } from './read.ts'
import { STRUCTURE_RULES } from './structure.ts'
import { THINKING_RULES } from './thinking.ts'
import { writeEvents, writeWhole } from './write.ts'

/** https://platform.claude.com/docs/en/api/errors */
const TYPES = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

const errorBody = ({ status, message }: Refusal): JsonObject => ({
  type: 'error',
  error: { type: TYPES.get(status) ?? 'api_error', message },
  request_id: `req_${Bun.hash(message).toString(36)}`,
})

const PATH = /\/v1\/messages(\/count_tokens)?$/

/** The rules that need the output limit. */
const OF_OUTPUT: ReadonlySet<string> = new Set(['anthropic: output limit', 'anthropic: budget of thinking'])

/** Without `data: `, since each payload includes the name of its event. */
const SSE: Framing = { ...EVENT_STREAM, before_first: '', before: '' }

export const RULES: readonly Rule[] = [...FIELD_RULES, ...STRUCTURE_RULES, ...THINKING_RULES]
/** A request to count has no output limit. */
const COUNTING_RULES = RULES.filter(({ name }) => !OF_OUTPUT.has(name))

function read(url: URL, body: JsonObject, headers: Headers): Call | Query | Refusal {
  const model = textOf(body.model)
  if (model === '') return { status: 400, message: 'model: Field required' }
  const counts = url.pathname.endsWith('/count_tokens')
  const refused = refusalBy(counts ? COUNTING_RULES : RULES, { model, body, headers })
  if (refused) return refused
  const ask = readAsk(body)
  if (counts) return counting(model, ask)
  return { model, framing: body.stream === true ? SSE : undefined, ask, body }
}

/** https://platform.claude.com/docs/en/api/messages/count_tokens */
function counting(model: string, ask: Ask): Query {
  const text = Math.max(1, countTokens(ask.prompt) + countTokens(ask.declarations))
  const input_tokens = text + ask.images * IMAGE_TOKENS + ask.document_tokens
  return { model, respond: () => ({ body: JSON.stringify({ input_tokens }), totals: NO_USAGE }) }
}

export const anthropic: Dialect = {
  name: 'anthropic',
  serves: (path) => PATH.test(path),
  keyOf: (request) => request.headers.get('x-api-key') ?? '',
  read,
  whole: writeWhole,
  events: writeEvents,
  refuse: (refusal) => ({
    headers: {
      'content-type': 'application/json',
      ...(refusal.status === 429 ? { 'retry-after': '7' } : {}),
    },
    body: JSON.stringify(errorBody(refusal)),
  }),
  refusals: {
    bad_key: { status: 401, message: 'invalid x-api-key' },
    overloaded: { status: 529, message: 'Overloaded' },
    field: 'messages',
    missing: (model) => ({ status: 404, message: `model: ${model}` }),
  },
  streamError: (refusal) => `event: error\ndata: ${JSON.stringify(errorBody(refusal))}`,
}
