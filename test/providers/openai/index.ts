// The dialect of a server of the chat completions and embeddings APIs: paths, keys, framing.
import { type Call, type Dialect, EVENT_STREAM, type Framing, type Query, type Refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { refusalBy } from '../rule.ts'
import { openai as openaiServer } from '../servers/openai.ts'
import type { Server } from '../servers/server.ts'
import { readEmbedding } from './embeddings.ts'
import { readAsk } from './read.ts'
import { writeEvents, writeWhole } from './write.ts'

const PATH = /\/(chat\/completions|embeddings)$/

/** A stream that ends with an error has no [DONE]. */
const framingOf = (comment: string): Framing => ({
  ...EVENT_STREAM,
  before_first: comment === '' ? EVENT_STREAM.before_first : `: ${comment}\n\n${EVENT_STREAM.before_first}`,
  after_last: 'data: [DONE]\n\n',
})

/** The server decides whether the model thinks; an effort, how much. */
const budgetFor = (thinks: boolean, budget: number | undefined): number | undefined =>
  thinks ? (budget === 0 ? undefined : budget) : 0

function readFor(server: Server): Dialect['read'] {
  const framing = framingOf(server.form.comment)
  return (url: URL, body: JsonObject, headers: Headers): Call | Query | Refusal => {
    const model = textOf(body.model)
    if (model === '') return { status: 400, message: 'you must provide a model parameter' }
    if (url.pathname.endsWith('/embeddings')) return readEmbedding(model, body)
    const input = { model, body, headers }
    const refused = refusalBy(server.rules, input)
    if (refused) return refused
    const ask = readAsk(body)
    const thinking_budget = budgetFor(server.thinks(input), ask.thinking_budget)
    return {
      model,
      framing: body.stream === true ? framing : undefined,
      ask: { ...ask, thinking_budget },
      body,
    }
  }
}

/** The dialect of a server of chat completions. */
export const chatOf = (server: Server): Dialect => ({
  name: server.name,
  serves: (path) => PATH.test(path),
  keyOf: (request) => (request.headers.get('authorization') ?? '').replace(/^Bearer /, ''),
  read: readFor(server),
  whole: (call, reply, usage_report) => writeWhole(server.form, call, reply, usage_report),
  events: (call, reply, usage_report, behaviour) =>
    writeEvents(server.form, call, reply, usage_report, behaviour),
  refuse: (refusal) => ({
    headers: {
      'content-type': 'application/json',
      ...(refusal.status === 429 ? { 'retry-after': '7' } : {}),
    },
    body: JSON.stringify(server.errorBody(refusal), null, 2),
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
  streamError: (refusal) => JSON.stringify(server.streamError(refusal)),
})

export const openai: Dialect = chatOf(openaiServer)
