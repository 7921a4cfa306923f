// The dialect of OpenAI's Responses API: path, keys, framing.
import type { Call, Dialect, Framing, Refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { openai } from '../openai/index.ts'
import { readAsk } from './read.ts'
import { writeEvents, writeWhole } from './write.ts'

/** Readers take an event's type from its data: its name is left out. */
const SSE: Framing = {
  content_type: 'text/event-stream; charset=utf-8',
  before_first: 'data: ',
  before: 'data: ',
  after: '\n\n',
  after_last: '',
  after_error: '',
}

function read(_: URL, body: JsonObject): Call | Refusal {
  const model = textOf(body.model)
  if (model === '') return { status: 400, message: 'you must provide a model parameter' }
  const ask = readAsk(body)
  if ('status' in ask) return ask
  return { model, framing: body.stream === true ? SSE : undefined, ask, body }
}

export const openaiResponses: Dialect = {
  ...openai,
  name: 'openai-responses',
  serves: (path) => path.endsWith('/responses'),
  read,
  whole: writeWhole,
  events: writeEvents,
  refusals: { ...openai.refusals, field: 'input' },
  streamError: ({ message }) => JSON.stringify({ type: 'error', code: 'server_error', message, param: null }),
}
