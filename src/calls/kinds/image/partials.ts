// Partial images: whether a call may have them, and their request to the provider.
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
import { imagesOf, sendingOf } from './sending.ts'

interface ImageEvents {
  /**
   * The next event that brings an image.
   * @throws UpstreamFault if the stream breaks, ends or is too long; ReportedFailure where it reports an error
   */
  next(): Promise<ImageEvent>
}

const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

/** @param limit_bytes of one event */
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
 * How many partial images to request from a provider. They are billed, so they are requested only where the model's price names
 * them, as one by tokens does; and OpenAI's events do not say which image they belong to, so that a call for several images has none.
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
    (route) => imagesOf(protocols, route.provider).traitsOf(route).partial_images,
  )
  return is_streamed ? partial_images : 0
}

/** An image in generation. */
export interface OpenedImage {
  /** Its first event, or why it did not come. */
  first: ImageEvent | { refusal: NoImage }
  /** The events after it; undefined if the provider answered whole. */
  events: ImageEvents | undefined
  /** Images in the answer: of a whole one all, also those beyond the request. */
  sent: number
}

/**
 * Requests an image with its partial images, until the first of them is there: until then another route may answer, whole
 * where its protocol knows no partial images.
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
    // Its first event may take as long as a whole image: the time limits are those of one.
    is_read_on: true,
    async open(response, attempt, onProgress): Promise<OpenedImage> {
      if (!isEventStream(response)) {
        const answer = await sending.open(response, attempt, onProgress)
        if ('refusal' in answer) return { first: answer, events: undefined, sent: 0 }
        const { images, usage } = answer
        return { first: { image: images[0], usage }, events: undefined, sent: images.length }
      }
      const verbs = imagesOf(parts.protocols, attempt.provider)
      const events = readImageEvents(response, verbs, max_answer_bytes)
      return { first: await events.next(), events, sent: 1 }
    },
  })
}
