// Owns the native protocol's dialect of the simulator: paths, keys, framing.
import type { Call, Dialect, Framing, Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { readAsk } from './read.ts'
import { errorBody } from './refuse.ts'
import { writeEvents, writeWhole } from './write.ts'

const PATH = /\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/

/** The vendor ends its lines with CR LF. */
const SSE: Framing = {
  content_type: 'text/event-stream',
  before_first: 'data: ',
  before: 'data: ',
  after: '\r\n\r\n',
  after_last: '',
}

/** Without `alt=sse` a stream is one JSON array, sent element by element. */
const ARRAY: Framing = {
  content_type: 'application/json; charset=UTF-8',
  before_first: '[',
  before: ',\r\n',
  after: '\n',
  after_last: ']\n',
}

function read(url: URL, body: JsonObject): Call | Refusal {
  const [, encoded_model = '', action = ''] = PATH.exec(url.pathname) ?? []
  if (action !== 'generateContent' && action !== 'streamGenerateContent') {
    return { status: 404, message: `The method ${action} is not found.` }
  }
  const ask = readAsk(body)
  if ('status' in ask) return ask
  const stream = url.searchParams.get('alt') === 'sse' ? SSE : ARRAY
  return {
    model: decodeURIComponent(encoded_model),
    framing: action === 'streamGenerateContent' ? stream : undefined,
    ask,
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
  streamError: (refusal) => JSON.stringify(errorBody(refusal)),
}
