// An image with partial images: each is converted and sent as it arrives; the final image is sent after it is stored and paid.
import { GatewayError, toGatewayError, UpstreamFault, upstreamFailed } from '../../../domain/errors.ts'
import { convert } from '../../../media/convert.ts'
import type { ImageEvent, Reference, SentImage } from '../../../protocols/images.ts'
import type { Dispatched } from '../../../upstream/dispatch.ts'
import { interruptedStreamError, ReportedFailure } from '../../../upstream/failures.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { servedHeaders } from '../../serving/model-name.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from '../../settling/end.ts'
import { isFree } from '../../settling/settlement.ts'
import { settleStream } from '../../settling/stream-end.ts'
import { billImages, billPartials } from './billing.ts'
import { completedEvents, EVENTS_CONTENT_TYPE, failedEvent, partialEvent } from './events.ts'
import { convertAll } from './generate.ts'
import type { PaidImageOrder } from './order.ts'
import { type OpenedImage, openImage } from './partials.ts'
import type { PendingImages } from './pending-images.ts'
import { compresses, droppedHeader, imageFailure, noImage, withPartialsCharged } from './sending.ts'

/** The state of one image's generation and delivery. */
interface ImageDelivery extends Dispatched<OpenedImage> {
  parts: CallParts
  held: Held<PaidImageOrder>
  pending: PendingImages
  stream: ReadableStreamDefaultController<Uint8Array>
  /** Partial images sent to the caller, all of which are charged. */
  partials_sent: number
  /** The first event, until `nextEvent` returns it. */
  first: ImageEvent | undefined
  /** Whether an event is being read or converted. */
  is_advancing: boolean
  /** Whether the caller disconnected, or stalled for too long. */
  has_left: boolean
  timed_out: boolean
  state: 'generating' | 'over'
}

/**
 * Generates one image with partial images.
 * @throws GatewayError for every refusal and failure before the first partial image; nothing is charged then
 */
export async function servePartials(
  parts: CallParts,
  held: Held<PaidImageOrder>,
  references: readonly Reference[],
  pending: PendingImages,
): Promise<Response> {
  const { model, wanted } = held.order
  const started_ms = parts.now()
  const opened = await openImage(parts, held, references)
  const { first, events } = opened.answer
  if ('refusal' in first) throw noImage(first.refusal)
  const { provider, model: upstream_model } = opened.attempt
  const left_ms = started_ms + Math.min(model.timeout_ms, provider.call_timeout_ms) - parts.now()
  const headers = {
    ...servedHeaders(held, EVENTS_CONTENT_TYPE, upstream_model),
    ...droppedHeader(parts, wanted, { is_whole: events === undefined, attempt: opened.attempt }),
  }
  const answer = new Response(streamOf({ ...opened, parts, held, pending, first }, left_ms), { headers })
  held.keepOpen()
  return answer
}

/** Reads nothing ahead of the caller: an event has several megabytes. @param left_ms the rest of the image's time limit */
function streamOf(
  start: Pick<ImageDelivery, 'parts' | 'held' | 'pending' | 'first' | keyof Dispatched<OpenedImage>>,
  left_ms: number,
): ReadableStream<Uint8Array> {
  const { place } = start.held
  let delivery: ImageDelivery
  return new ReadableStream<Uint8Array>(
    {
      start(stream) {
        delivery = { ...start, ...INITIAL_STATE, stream }
        const timer = setTimeout(() => {
          delivery.timed_out = true
          delivery.abort()
          void advance(delivery)
        }, left_ms)
        start.held.defer(() => clearTimeout(timer))
        // The image has its own time limit, so no silence limit applies; a stop of the gateway still ends it.
        place.watchSilence(Number.POSITIVE_INFINITY, delivery.abort)
        place.gone.listen({ onAbort: () => end(delivery) })
        if (place.gone.aborted) end(delivery)
      },
      pull: () => advance(delivery),
      cancel: () => handleDisconnect(delivery),
    },
    { highWaterMark: 0 },
  )
}

const INITIAL_STATE = {
  partials_sent: 0,
  is_advancing: false,
  has_left: false,
  timed_out: false,
  state: 'generating',
} as const

/** Reads until an event was sent; to the end of the stream if the caller has disconnected. Never rejects. */
async function advance(delivery: ImageDelivery): Promise<void> {
  if (delivery.is_advancing || delivery.state !== 'generating') return
  delivery.is_advancing = true
  try {
    for (;;) {
      const event = await nextEvent(delivery)
      if ('image' in event) return await finish(delivery, event)
      if ((await sendPartial(delivery, event.partial)) && !delivery.has_left) return
    }
  } catch (thrown) {
    await fail(delivery, thrown)
  } finally {
    delivery.is_advancing = false
  }
}

async function nextEvent(delivery: ImageDelivery): Promise<ImageEvent> {
  const { first, answer, held } = delivery
  if (delivery.timed_out || held.place.gone.reason instanceof GatewayError)
    throw new UpstreamFault('the image was given up')
  delivery.first = undefined
  if (first) return first
  if (!answer.events) throw new Error('a whole answer was read twice')
  held.place.progressed('upstream')
  return answer.events.next()
}

/** Sends a partial image in the requested size and format. @returns whether it was sent */
async function sendPartial(delivery: ImageDelivery, base64: string): Promise<boolean> {
  const { held, parts, attempt, partials_sent } = delivery
  const { wanted, partial_images } = held.order
  if (delivery.has_left || partials_sent === partial_images) return false
  const is_compressed = compresses(parts, attempt)
  const image = await convert(Buffer.from(base64, 'base64'), { ...wanted, is_compressed }).catch((cause) => {
    // It is left out and not charged: the final image may still be good.
    parts.log.warn({ request_id: held.origin.request_id, cause }, 'a partial image was unusable')
    return undefined
  })
  if (!image || delivery.has_left) return false
  delivery.stream.enqueue(Buffer.from(partialEvent(image, partials_sent, wanted, held.started_ms)))
  delivery.partials_sent++
  held.place.progressed('caller')
  return true
}

/** Stores the image and settles the call before sending the image. */
async function finish(
  delivery: ImageDelivery,
  { image: sent, usage: reported }: Extract<ImageEvent, { image: SentImage }>,
): Promise<void> {
  const { parts, held, attempt, pending, partials_sent, abort, stream } = delivery
  const response = { attempt, count: 1, sent: delivery.answer.sent, reported }
  const images = await convertAll(parts, held, [
    { ...sent, is_compressed: compresses(parts, attempt), response },
  ])
  await pending.store(images)
  delivery.state = 'over'
  abort()
  const { tokens, ...bill } = billImages(parts, held, images, partials_sent)
  const outcome = delivery.has_left ? 'cancelled' : 'completed'
  // The image is stored, and can be fetched even if this answer does not arrive.
  await settleStream(parts, held, () => ({
    outcome,
    ...bill,
    images: images.length,
    has_reached_caller: true,
  }))
  if (delivery.has_left) return
  const { cost_nanos } = bill.charge
  const paid = { images, uuids: pending.uuids, cost_nanos, tokens, created_ms: held.started_ms }
  stream.enqueue(Buffer.from(completedEvents(paid, held.order.wanted, partials_sent)))
  stream.close()
}

/** Charges the sent partial images, and reports the error if the caller is still connected. */
async function fail(delivery: ImageDelivery, thrown: unknown): Promise<void> {
  const { parts, held, partials_sent, has_left, stream } = delivery
  const must_settle = delivery.state === 'generating'
  delivery.state = 'over'
  delivery.abort()
  const error = failureOf(delivery, thrown)
  const expected = thrown instanceof UpstreamFault || thrown instanceof GatewayError
  // A caller who disconnects is not a failure.
  if (!expected || !has_left)
    parts.log[expected ? 'warn' : 'error'](
      { request_id: held.origin.request_id, cause: thrown },
      'a stream broke',
    )
  if (must_settle) {
    const outcome = has_left ? 'cancelled' : 'broken'
    const { tokens: _, ...bill } = billPartials(held, partials_sent)
    const end: Delivered | Undelivered =
      partials_sent > 0
        ? { outcome, ...bill, has_reached_caller: true, cause: error }
        : { outcome, status: has_left ? CLIENT_CLOSED_REQUEST : 200, cause: error }
    // A failed settlement is ignored here: it is logged and retried, and the caller gets the original error.
    await settleStream(parts, held, () => end).catch(() => undefined)
  }
  if (delivery.has_left) return
  const { body } = held.origin.render(error, held.origin.request_id)
  stream.enqueue(Buffer.from(failedEvent(JSON.stringify(body))))
  stream.close()
}

/** Returns the error for the caller. */
function failureOf(delivery: ImageDelivery, thrown: unknown): GatewayError {
  const { parts, held, partials_sent, timed_out } = delivery
  const { reason } = held.place.gone
  if (reason instanceof GatewayError) return reason
  const is_charged =
    partials_sent > 0 && !isFree(parts, 'broken') && billPartials(held, partials_sent).charge.cost_nanos > 0
  const withCharges = (error: GatewayError) => (is_charged ? withPartialsCharged(error) : error)
  if (!timed_out && !(thrown instanceof UpstreamFault)) return withCharges(toGatewayError(thrown))
  const reported = thrown instanceof ReportedFailure ? thrown.failure : undefined
  const failure = timed_out ? TIMED_OUT : reported
  const { publicWords } = parts
  const error = imageFailure(interruptedStreamError({ failure, is_charged, cause: thrown, publicWords }))
  return withCharges(
    error instanceof GatewayError
      ? error
      : upstreamFailed('The provider returned no image.', { cause: error }),
  )
}

const TIMED_OUT = {
  failure_class: 'timed_out',
  message: 'no image in time',
  retry_after_s: undefined,
} as const

/**
 * Handles a disconnect. After a partial image the provider bills the whole image, so it is generated to its end, kept in the
 * caller's history, and charged. Before the first one nothing is charged, and the request is aborted.
 */
async function handleDisconnect(delivery: ImageDelivery): Promise<void> {
  if (delivery.has_left) return
  delivery.has_left = true
  // A caller who stalled for too long is still connected: the stream is aborted, so that they do not wait for more.
  delivery.stream.error(new Error('the caller left, or stalled'))
  if (delivery.state !== 'generating') return
  if (delivery.partials_sent === 0) delivery.abort()
  delivery.held.place.progressed('upstream')
  await advance(delivery)
}

/** Ends the delivery after a disconnect, or after the gateway ended the call with an error. */
function end(delivery: ImageDelivery): void {
  if (!(delivery.held.place.gone.reason instanceof GatewayError)) return void handleDisconnect(delivery)
  delivery.abort()
  void advance(delivery)
}
