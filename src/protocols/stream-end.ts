// The end of a decoded stream: the usage and the last event, or the failure in their place.
import { brokenStream } from '../domain/errors.ts'
import { inFull, type ReportedUsage } from '../domain/usage.ts'
import type { StreamEvent } from './canonical/stream.ts'

/** The state that every decoder keeps of its stream. */
export interface DecodedStream {
  /** The last event is out. */
  ended: boolean
  usage: ReportedUsage | undefined
}

/** The last events of a stream that is complete. */
export function endStream(state: DecodedStream): StreamEvent[] {
  state.ended = true
  const usage = inFull(state.usage)
  return [...(usage ? [{ type: 'usage', usage } as const] : []), { type: 'end' }]
}

/** The last event of a stream that is not. @param cause for the log: what was missing, or the event that could not be read */
export function failStream(state: DecodedStream, cause: string): StreamEvent[] {
  state.ended = true
  return [{ type: 'error', error: brokenStream(cause) }]
}
