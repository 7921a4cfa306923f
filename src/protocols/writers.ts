// Tables of writers: one writer for each kind of conversation part, or of stream event.

import type { ServerSentEvent, StreamEncoder, StreamEvent } from './canonical/answer.ts'
import type { Part } from './canonical/parts.ts'
import type { JsonObject } from './wire/json.ts'

/** Each writer returns the pieces for a part: none if the protocol has no place for it. */
type PartWriters = {
  readonly [K in Part['kind']]: (part: Part & { readonly kind: K }) => JsonObject[]
}

/** Dispatches each part to its writer. */
export const writeParts =
  (writers: PartWriters): ((part: Part) => JsonObject[]) =>
  (part) =>
    (writers[part.kind] as (part: Part) => JsonObject[])(part)

export type EventOf<K extends StreamEvent['type']> = Extract<StreamEvent, { type: K }>

/** Writers for one stream, which share its state. */
export type EventWriters<S> = {
  readonly [K in StreamEvent['type']]: (state: S, event: EventOf<K>) => ServerSentEvent[]
}

/** An encoder that dispatches each event to its writer. */
export const writeEvents = <S>(writers: EventWriters<S>, state: S): StreamEncoder => ({
  encode: (event) =>
    (writers[event.type] as (state: S, event: StreamEvent) => ServerSentEvent[])(state, event),
})

/** As writeEvents, for callers that can only request one candidate: events of other candidates are skipped. */
export function writeFirstCandidate<S>(writers: EventWriters<S>, state: S): StreamEncoder {
  const first = writeEvents(writers, state)
  return { encode: (event) => ('candidate' in event && event.candidate > 0 ? [] : first.encode(event)) }
}
