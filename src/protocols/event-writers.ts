// The table of writers that a stream's encoder consists of: one writer for each kind of canonical event.
import type { ServerSentEvent, StreamEncoder, StreamEvent } from './canonical/stream.ts'

type Kind = StreamEvent['type']

export type EventOf<K extends Kind> = Extract<StreamEvent, { type: K }>

/** Writers over the state of one stream. */
export type EventWriters<S> = { readonly [K in Kind]: (state: S, event: EventOf<K>) => ServerSentEvent[] }

/** The encoder of one stream, which gives each event to its writer. */
export const writeEvents = <S>(writers: EventWriters<S>, state: S): StreamEncoder => ({
  encode: (event) =>
    (writers[event.type] as (state: S, event: StreamEvent) => ServerSentEvent[])(state, event),
})
