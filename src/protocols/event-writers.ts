// Owns the table of writers that a stream's encoder is: one for each kind of canonical event.
import type { ServerSentEvent, StreamEncoder, StreamEvent } from './canonical.ts'

type Kind = StreamEvent['type']

export type EventOf<K extends Kind> = Extract<StreamEvent, { type: K }>

export type EventWriters = { readonly [K in Kind]: (event: EventOf<K>) => ServerSentEvent[] }

const write = <K extends Kind>(
  writers: { readonly [L in K]: (event: EventOf<L>) => ServerSentEvent[] },
  event: EventOf<K>,
): ServerSentEvent[] => writers[event.type as K](event)

/** The encoder that gives each event to its writer. */
export const writeEvents = (writers: EventWriters): StreamEncoder => ({
  encode: (event) => write(writers, event),
})
