// The dialect of OpenAI's Responses API: path, keys, framing.
import { type Call, type Dialect, EVENT_STREAM, type Refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { openai } from '../openai/index.ts'
import { refusalBy } from '../rule.ts'
import { readAsk } from './read.ts'
import { RULES } from './rules.ts'
import { writeEvents, writeWhole } from './write.ts'

function read(_: URL, body: JsonObject, headers: Headers): Call | Refusal {
  const model = textOf(body.model)
  if (model === '') return { status: 400, message: 'you must provide a model parameter' }
  const refused = refusalBy(RULES, { model, body, headers })
  if (refused) return refused
  const ask = readAsk(body)
  if ('status' in ask) return ask
  // Readers take an event's type from its data: its name is left out.
  return { model, framing: body.stream === true ? EVENT_STREAM : undefined, ask, body }
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
