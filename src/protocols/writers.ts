// Tables of writers: one for each kind of part of a conversation, one for each kind of event of a stream.

import type { ServerSentEvent, StreamEncoder, StreamEvent } from './canonical/answer.ts'
import type { Part } from './canonical/parts.ts'
import type { JsonObject } from './wire/json.ts'

/** Each gives the pieces that a part becomes: none where the protocol has no place for it. */
type PartWriters = {
  readonly [K in Part['kind']]: (part: Part & { readonly kind: K }) => JsonObject[]
}

/** The function that gives each part to its writer. */
export const writeParts =
  (writers: PartWriters): ((part: Part) => JsonObject[]) =>
  (part) =>
    (writers[part.kind] as (part: Part) => JsonObject[])(part)

export type EventOf<K extends StreamEvent['type']> = Extract<StreamEvent, { type: K }>

/** Writers over the state of one stream. */
export type EventWriters<S> = {
  readonly [K in StreamEvent['type']]: (state: S, event: EventOf<K>) => ServerSentEvent[]
}

/** The encoder of one stream, which gives each event to its writer. */
export const writeEvents = <S>(writers: EventWriters<S>, state: S): StreamEncoder => ({
  encode: (event) =>
    (writers[event.type] as (state: S, event: StreamEvent) => ServerSentEvent[])(state, event),
})

/** The same for a protocol whose callers cannot ask for more than one candidate: of the others nothing is written. */
export function writeFirstCandidate<S>(writers: EventWriters<S>, state: S): StreamEncoder {
  const first = writeEvents(writers, state)
  return { encode: (event) => ('candidate' in event && event.candidate > 0 ? [] : first.encode(event)) }
}
