// Owns the framing of one server-sent event (WHATWG HTML, section 9.2.6). Payloads are JSON, so they have no line breaks.
import type { ServerSentEvent } from './canonical.ts'

/** The event as it goes over the wire, with the blank line that ends it. */
export const frame = ({ event, data }: ServerSentEvent): string =>
  event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`
