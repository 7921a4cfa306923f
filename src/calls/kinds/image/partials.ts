// Partial images: whether a call may have them, and how they are requested from the provider.
import type { ImageModel } from '../../../domain/catalogue.ts'
import { OversizedAnswer, UpstreamFault } from '../../../domain/errors.ts'
import { reportsError } from '../../../protocols/failures.ts'
import type { ImageEvent, ImageProtocol, NoImage, Reference } from '../../../protocols/images.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../protocols/wire/byte-string.ts'
import { parseObject } from '../../../protocols/wire/json.ts'
import { EventCutter, EventWalk } from '../../../protocols/wire/sse.ts'
import type { Dispatched } from '../../../upstream/dispatch.ts'
import { reportedFailure } from '../../../upstream/failures.ts'
import { routesWithProviders } from '../../../upstream/routes.ts'
import { fromUpstream } from '../../../upstream/transport.ts'
import { turns } from '../../../upstream/turns.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall } from '../../serving/dispatch-call.ts'
import type { ImageOrder, PaidImageOrder } from './order.ts'
import { imageVerbsOf, sendingOf } from './sending.ts'

interface ImageEvents {
  /**
   * Returns the next event with an image.
   * @throws UpstreamFault if the stream breaks, ends or is too long; ReportedFailure if it reports an error
   */
  next(): Promise<ImageEvent>
}

const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

/** @param limit_bytes the limit of one event */
export function readImageEvents(
  response: Response,
  verbs: Pick<ImageProtocol, 'readEvent' | 'readFailure'>,
  limit_bytes: number,
): ImageEvents {
  const reader = response.body?.getReader()
  const cutter = new EventCutter()
  const whole: ByteString[] = []
  let unfinished_bytes = 0

  async function readMore(): Promise<void> {
    const { value } = reader ? await fromUpstream(reader.read()) : {}
    if (!value) throw new UpstreamFault('the upstream ended its stream before the image was complete')
    unfinished_bytes += value.length
    if (unfinished_bytes > limit_bytes)
      throw new OversizedAnswer(
        `an event of its stream is longer than ${limit_bytes} bytes. Where the provider may send that much, raise max_answer_bytes in [server].`,
      )
    await turns.through(value, (step) => {
      const events = cutter.cut(step)
      if (!events) return
      unfinished_bytes = 0
      const walk = new EventWalk(toByteString(events))
      while (walk.next()) whole.push(walk.data)
    })
  }

  return {
    async next() {
      for (;;) {
        const data = whole.shift()
        const event = data === undefined ? undefined : readEvent(verbs, decodeByteString(data))
        if (event) return event
        if (whole.length === 0) await readMore()
      }
    },
  }
}

/** @throws ReportedFailure */
function readEvent(
  verbs: Pick<ImageProtocol, 'readEvent' | 'readFailure'>,
  text: string,
): ImageEvent | undefined {
  const event = parseObject(text)
  if (!event) return undefined
  if (reportsError(event)) throw reportedFailure(verbs, text)
  return verbs.readEvent?.(event)
}

/**
 * Returns how many partial images to request from a provider. They are billed, so the model must have a price for them: a token
 * price, or one for partial images. OpenAI's events do not say which image they belong to, so a call for several images gets none.
 */
export function partialsOf(
  { protocols, catalogue }: Pick<CallParts, 'protocols' | 'catalogue'>,
  model: ImageModel,
  { streams, partial_images = 0, count }: ImageOrder,
): number {
  const { price } = model
  const is_priced = price.unit === 'image_token' || price.partial_image_nanos !== undefined
  if (!streams || count > 1 || !is_priced) return 0
  const is_streamed = routesWithProviders(catalogue(), model).some(
    (route) => imageVerbsOf(protocols, route.provider).traitsOf(route).partial_images,
  )
  return is_streamed ? partial_images : 0
}

/** An image in generation. */
export interface OpenedImage {
  /** The first event, or the reason why no image came. */
  first: ImageEvent | { refusal: NoImage }
  /** The later events; undefined if the provider did not stream. */
  events: ImageEvents | undefined
  /** Images in the answer; in a whole answer this includes those beyond the request. */
  sent: number
}

/**
 * Requests an image with its partial images and waits for the first one. Before it, another route may answer, without a stream
 * if its protocol has no partial images.
 * @throws GatewayError as `dispatch`
 */
export function openImage(
  parts: CallParts,
  held: Held<PaidImageOrder>,
  references: readonly Reference[],
): Promise<Dispatched<OpenedImage>> {
  const sending = sendingOf(parts, held.order, references, 1)
  const { max_answer_bytes } = parts.catalogue().server
  return dispatchCall(parts, held, {
    ...sending,
    // The first event may take as long as a whole image, so a whole image's time limits apply.
    is_read_on: true,
    async open(response, attempt, onProgress): Promise<OpenedImage> {
      if (!isEventStream(response)) {
        const answer = await sending.open(response, attempt, onProgress)
        if ('refusal' in answer) return { first: answer, events: undefined, sent: 0 }
        const { images, usage } = answer
        return { first: { image: images[0], usage }, events: undefined, sent: images.length }
      }
      const verbs = imageVerbsOf(parts.protocols, attempt.provider)
      const events = readImageEvents(response, verbs, max_answer_bytes)
      return { first: await events.next(), events, sent: 1 }
    },
  })
}
