// Partial images: whether a call may have them, and their request to the provider.
import type { ImageModel } from '../../../domain/catalogue.ts'
import type { ImageEvent, NoImage, Reference } from '../../../protocols/images.ts'
import type { Dispatched } from '../../../upstream/dispatch.ts'
import { routesWithProviders } from '../../../upstream/routes.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall } from '../../serving/dispatch-call.ts'
import type { ImageOrder, PaidImageOrder } from './order.ts'
import { imagesOf, sendingOf } from './sending.ts'
import { type ImageEvents, isEventStream, readImageEvents } from './upstream-events.ts'

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
