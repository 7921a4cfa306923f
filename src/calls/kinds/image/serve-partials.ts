// An image with partial images: each given out as it comes, converted; then the image, once it is stored and paid.
import { GatewayError, toGatewayError, UpstreamFault, upstreamFailed } from '../../../domain/errors.ts'
import { convert } from '../../../media/convert.ts'
import type { ImageEvent, Reference, SentImage } from '../../../protocols/images.ts'
import type { Dispatched } from '../../../upstream/dispatch.ts'
import { brokenOff, ReportedFailure } from '../../../upstream/failures.ts'
import type { Held } from '../../life/call.ts'
import type { ExchangeParts } from '../../parts.ts'
import { servedHeaders } from '../../serving/served-headers.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from '../../settling/end.ts'
import { settleStream } from '../../settling/stream-end.ts'
import type { BegunImages } from './begun.ts'
import { billImages, billPartials } from './billing.ts'
import { convertAll } from './drawing.ts'
import { droppedHeader } from './dropped.ts'
import { completedEvents, EVENTS_CONTENT_TYPE, failedEvent, partialEvent } from './events.ts'
import type { PaidImageOrder } from './order.ts'
import { type OpenedImage, openImage } from './partials.ts'
import { afterPartials, compresses, imageFailure, noImage } from './sending.ts'

/** One image on its way to its caller. */
interface Drawing extends Dispatched<OpenedImage> {
  parts: ExchangeParts
  held: Held<PaidImageOrder>
  begun: BegunImages
  stream: ReadableStreamDefaultController<Uint8Array>
  /** Partial images that were given out: those that are charged. */
  given: number
  /** The first event, until it is taken. */
  first: ImageEvent | undefined
  /** Something is being read or made at the moment. */
  advancing: boolean
  /** The caller has gone, or stalled for too long. */
  left: boolean
  timed_out: boolean
  state: 'drawing' | 'over'
}

/**
 * Draws one image with partial images.
 * @throws GatewayError for every refusal and failure before the first of them; nothing is charged then
 */
export async function servePartials(
  parts: ExchangeParts,
  held: Held<PaidImageOrder>,
  references: readonly Reference[],
  begun: BegunImages,
): Promise<Response> {
  const { model, wanted } = held.order
  const asked_ms = parts.now()
  const opened = await openImage(parts, held, references)
  const { first, events } = opened.answer
  if ('refusal' in first) throw noImage(first.refusal)
  const { provider, model: upstream_model } = opened.attempt
  const left_ms = asked_ms + Math.min(model.timeout_ms, provider.call_timeout_ms) - parts.now()
  const headers = {
    ...servedHeaders(held.origin, EVENTS_CONTENT_TYPE, upstream_model),
    ...droppedHeader(parts, wanted, { is_whole: events === undefined, attempt: opened.attempt }),
  }
  const answer = new Response(streamOf({ ...opened, parts, held, begun, first }, left_ms), { headers })
  held.keepOpen()
  return answer
}

/** Nothing is read ahead of the caller: an event is several megabytes. @param left_ms of the time for the whole image */
function streamOf(
  start: Pick<Drawing, 'parts' | 'held' | 'begun' | 'first' | keyof Dispatched<OpenedImage>>,
  left_ms: number,
): ReadableStream<Uint8Array> {
  const { place } = start.held
  let drawing: Drawing
  return new ReadableStream<Uint8Array>(
    {
      start(stream) {
        drawing = { ...start, ...UNTOUCHED, stream }
        const timer = setTimeout(() => {
          drawing.timed_out = true
          drawing.abort()
          void advance(drawing)
        }, left_ms)
        start.held.defer(() => clearTimeout(timer))
        // The time limit is the image's own; who stops the gateway ends it, too.
        place.watchSilence(Number.POSITIVE_INFINITY, drawing.abort)
        place.gone.listen({ onAbort: () => end(drawing) })
        if (place.gone.aborted) end(drawing)
      },
      pull: () => advance(drawing),
      cancel: () => leave(drawing),
    },
    { highWaterMark: 0 },
  )
}

const UNTOUCHED = { given: 0, advancing: false, left: false, timed_out: false, state: 'drawing' } as const

/** Reads until something was given out. Without a caller, to the end. Never rejects. */
async function advance(drawing: Drawing): Promise<void> {
  if (drawing.advancing || drawing.state !== 'drawing') return
  drawing.advancing = true
  try {
    for (;;) {
      const event = await nextEvent(drawing)
      if ('image' in event) return await finish(drawing, event)
      if ((await give(drawing, event.partial)) && !drawing.left) return
    }
  } catch (thrown) {
    await fail(drawing, thrown)
  } finally {
    drawing.advancing = false
  }
}

async function nextEvent(drawing: Drawing): Promise<ImageEvent> {
  const { first, answer, held } = drawing
  if (drawing.timed_out || held.place.gone.reason instanceof GatewayError)
    throw new UpstreamFault('the image was given up')
  drawing.first = undefined
  if (first) return first
  if (!answer.events) throw new Error('a whole answer was read twice')
  held.place.progressed('upstream')
  return answer.events.next()
}

/** A partial image in the shape that was asked for. @returns whether it was given out */
async function give(drawing: Drawing, base64: string): Promise<boolean> {
  const { held, parts, attempt, given } = drawing
  const { wanted, partial_images } = held.order
  if (drawing.left || given === partial_images) return false
  const is_compressed = compresses(parts, attempt)
  const image = await convert(Buffer.from(base64, 'base64'), { ...wanted, is_compressed }).catch((cause) => {
    // It is one less, and not charged: the image itself may still be good.
    parts.log.warn({ request_id: held.origin.request_id, cause }, 'a partial image was unusable')
    return undefined
  })
  if (!image || drawing.left) return false
  drawing.stream.enqueue(Buffer.from(partialEvent(image, given, wanted, held.started_ms)))
  drawing.given++
  held.place.progressed('caller')
  return true
}

/** Stores the image, pays, and only then gives it out. */
async function finish(
  drawing: Drawing,
  { image: sent, usage: reported }: Extract<ImageEvent, { image: SentImage }>,
): Promise<void> {
  const { parts, held, attempt, begun, given, abort, stream } = drawing
  const answered = { attempt, count: 1, sent: drawing.answer.sent, reported }
  const images = await convertAll(parts, held, [
    { ...sent, is_compressed: compresses(parts, attempt), answered },
  ])
  await begun.store(images)
  drawing.state = 'over'
  abort()
  const { tokens, ...bill } = billImages(parts, held, images, given)
  const outcome = drawing.left ? 'cancelled' : 'completed'
  // It is stored, and stays so: whatever becomes of this answer, it can be fetched.
  await settleStream(parts, held, () => ({ outcome, ...bill, images: images.length, given_out: true }))
  if (drawing.left) return
  const { cost_nanos } = bill.charge
  const paid = { images, uuids: begun.uuids, cost_nanos, tokens, created_ms: held.started_ms }
  stream.enqueue(Buffer.from(completedEvents(paid, held.order.wanted, given)))
  stream.close()
}

/** Charges the partial images that were given out, and tells the caller, who may still be there. */
async function fail(drawing: Drawing, thrown: unknown): Promise<void> {
  const { parts, held, given, left, stream } = drawing
  const must_settle = drawing.state === 'drawing'
  drawing.state = 'over'
  drawing.abort()
  const error = failureOf(drawing, thrown)
  const expected = thrown instanceof UpstreamFault || thrown instanceof GatewayError
  // Whose caller left is no failure of anybody's.
  if (!expected || !left)
    parts.log[expected ? 'warn' : 'error'](
      { request_id: held.origin.request_id, cause: thrown },
      'a stream broke',
    )
  if (must_settle) {
    const outcome = left ? 'cancelled' : 'broken'
    const { tokens: _, ...bill } = billPartials(held, given)
    const end: Delivered | Undelivered =
      given > 0
        ? { outcome, ...bill, given_out: true, cause: error }
        : { outcome, status: left ? CLIENT_CLOSED_REQUEST : 200, cause: error }
    // Its failure is dropped here: the settlement has logged it and is tried again, and the caller is told about the first one.
    await settleStream(parts, held, () => end).catch(() => undefined)
  }
  if (drawing.left) return
  const { body } = held.origin.render(error, held.origin.request_id)
  stream.enqueue(Buffer.from(failedEvent(JSON.stringify(body))))
  stream.close()
}

/** What the caller is told. */
function failureOf(drawing: Drawing, thrown: unknown): GatewayError {
  const { parts, held, given, timed_out } = drawing
  const { reason } = held.place.gone
  if (reason instanceof GatewayError) return reason
  const is_charged = given > 0 && billPartials(held, given).charge.cost_nanos > 0
  const told = (error: GatewayError) => (is_charged ? afterPartials(error) : error)
  if (!timed_out && !(thrown instanceof UpstreamFault)) return told(toGatewayError(thrown))
  const reported = thrown instanceof ReportedFailure ? thrown.failure : undefined
  const failure = timed_out ? TIMED_OUT : reported
  const { publicWords } = parts
  const error = imageFailure(brokenOff({ failure, is_charged, cause: thrown, publicWords }))
  return told(error instanceof GatewayError ? error : upstreamFailed('No image came.', { cause: error }))
}

const TIMED_OUT = {
  failure_class: 'timed_out',
  message: 'no image in time',
  retry_after_s: undefined,
} as const

/**
 * The caller has gone. After a partial image the provider bills the whole image: it is drawn to its end, kept in the caller's
 * history, and charged. Before the first one nothing is charged, and the request is aborted.
 */
async function leave(drawing: Drawing): Promise<void> {
  if (drawing.left) return
  drawing.left = true
  // A caller who stalled for too long is still connected: the answer breaks off, so that they do not wait for more.
  drawing.stream.error(new Error('the caller left, or stalled'))
  if (drawing.state !== 'drawing') return
  if (drawing.given === 0) drawing.abort()
  drawing.held.place.progressed('upstream')
  await advance(drawing)
}

/** The caller is no longer there, or the gateway ends the call, and then says why. */
function end(drawing: Drawing): void {
  if (!(drawing.held.place.gone.reason instanceof GatewayError)) return void leave(drawing)
  drawing.abort()
  void advance(drawing)
}
