// The framing of OpenAI's audio streams: server-sent events without a last record.
import type { Framing } from '../dialect.ts'

export const EVENTS: Framing = {
  content_type: 'text/event-stream; charset=utf-8',
  before_first: 'data: ',
  before: 'data: ',
  after: '\n\n',
  after_last: '',
  after_error: '',
}
