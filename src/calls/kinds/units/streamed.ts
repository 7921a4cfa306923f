// A streamed answer that passes through, events or bytes: pumped to its caller, and paid before its end.
import { UpstreamFault } from '../../../domain/errors.ts'
import type { ReportedUnits } from '../../../domain/units.ts'
import type { UnitBounds } from '../../../money/pricing/units.ts'
import { reportsError } from '../../../protocols/failures.ts'
import { type AudioPiece, AudioStreamReading } from '../../../protocols/openai/audio-stream.ts'
import { renderStreamError } from '../../../protocols/openai/errors.ts'
import { protocolOf } from '../../../protocols/registry.ts'
import { parseObject } from '../../../protocols/wire/json.ts'
import type { Dispatched } from '../../../upstream/dispatch.ts'
import { reportedFailure } from '../../../upstream/failures.ts'
import type { ByteReader, OpenedBody } from '../../../upstream/pump.ts'
import type { Relay } from '../../../upstream/relay.ts'
import type { Attempt } from '../../../upstream/routes.ts'
import { fromUpstream } from '../../../upstream/transport.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { servedHeaders } from '../../serving/model-name.ts'
import { pumpAnswer } from '../../serving/pump-answer.ts'
import { CLIENT_CLOSED_REQUEST } from '../../settling/end.ts'
import { reportBreak, settleStream, streamErrorFor } from '../../settling/stream-end.ts'
import { readFirst } from '../text/first-event.ts'
import { deliveredUnits, type UnitOrder } from './billing.ts'

/** An answer whose first bytes have arrived. */
export interface OpenAnswer extends OpenedBody {
  content_type: string
}

/** An answer in transit, and its counts so far. */
export interface PassingAnswer {
  relay: Relay
  reported(): ReportedUnits | undefined
  /** Returns the bounds of the charge if no usage was reported, by the bytes passed so far. */
  bounds(): UnitBounds
  /** Whether anything that is charged has passed. */
  delivered(): boolean
}

export const isEvents = (content_type: string): boolean => /^text\/event-stream\b/i.test(content_type)

const OPENING_BRACE = 0x7b

/**
 * Waits for the first bytes. Until then, another route may still answer.
 * @throws UpstreamFault for an empty answer; ReportedFailure for a JSON error labelled as audio
 */
export async function openAnswer(
  { protocols }: Pick<CallParts, 'protocols'>,
  { provider }: Attempt,
  response: Response,
  content_type: string,
): Promise<OpenAnswer> {
  const reader: ByteReader | undefined = response.body?.getReader()
  const { value } = reader ? await fromUpstream(reader.read()) : {}
  if (!reader || !value) throw new UpstreamFault('the upstream sent an empty answer')
  const text = value[0] === OPENING_BRACE ? Buffer.from(value).toString() : ''
  const json = parseObject(text)
  if (json && reportsError(json)) throw reportedFailure(protocolOf(protocols, provider), text)
  return { first: value, reader, content_type }
}

/**
 * Waits for the first event. An error event before any output counts as a failure before the first byte.
 * @param piece the key of an event's content @param onProgress as for `Sending.open`
 * @throws UpstreamFault; ReportedFailure for an error before any output
 */
export async function openEvents(
  { protocols }: Pick<CallParts, 'protocols'>,
  { provider }: Attempt,
  response: Response,
  { piece, onProgress }: { piece: AudioPiece; onProgress: () => void },
): Promise<OpenAnswer> {
  const { readFailure } = protocolOf(protocols, provider)
  const format = { open: () => new AudioStreamReading(piece), readFailure }
  return { ...(await readFirst(response, format, onProgress)), content_type: 'text/event-stream' }
}

/** Charges what passed, however the stream ends; nothing if it broke before any output. */
export function servedStream(
  parts: CallParts,
  held: Held<UnitOrder>,
  dispatched: Dispatched<OpenAnswer>,
  { relay, reported, bounds, delivered }: PassingAnswer,
): Response {
  const { attempt } = dispatched
  const { provider } = attempt
  const headers = servedHeaders(held, relay.content_type, attempt.model)
  return pumpAnswer(parts, held, dispatched, headers, {
    relay,
    async settle(ending, cause, has_reached_caller) {
      if (cause !== undefined) reportBreak(parts, held, cause)
      await settleStream(parts, held, () => {
        const is_free = (ending === 'broken' || cause !== undefined) && !delivered()
        if (is_free)
          return { outcome: ending, status: ending === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200, cause }
        const units = deliveredUnits(parts, held, attempt, reported(), bounds())
        return { outcome: ending, has_reached_caller, cause, ...units }
      })
    },
    renderError: (cause) =>
      renderStreamError(streamErrorFor(parts, held, protocolOf(parts.protocols, provider), relay, cause)),
  })
}
