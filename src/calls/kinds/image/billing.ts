// The charge for images: by count, or by the tokens that their providers report.
import type { ImageTokens } from '../../../domain/image-tokens.ts'
import { boundText } from '../../../domain/token-bound.ts'
import { estimateTokens } from '../../../domain/token-estimate.ts'
import { NO_USAGE } from '../../../domain/usage.ts'
import { chargeImages, type ImageOrder as PricedOrder } from '../../../money/pricing/charge.ts'
import {
  type BilledImageTokens,
  billImageTokens,
  chargeImageTokens,
  estimateImageTokens,
  type ImageRequestTokens,
  quoteImageTokens,
  referenceTokens,
  sumImageTokens,
} from '../../../money/pricing/image-tokens.ts'
import { type Quote, quoteImages } from '../../../money/pricing/quote.ts'
import { generationName } from '../../../protocols/canonical/request.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import type { Delivered } from '../../settling/end.ts'
import type { ImageAnswerTokens } from '../../settling/provider-cost.ts'
import { reportDoubt } from '../../settling/reported-usage.ts'
import type { GeneratedImage, ImageResponse } from './generated-images.ts'
import type { ImageOrder, PaidImageOrder } from './order.ts'

/** The charge for images, and the tokens behind it if the price is by tokens. */
interface ImageBill
  extends Pick<
    Delivered,
    'charge' | 'usage' | 'estimated' | 'reported_usage' | 'doubt' | 'image_attempts' | 'tokens_by_answer'
  > {
  readonly tokens: ImageTokens | undefined
}

/** The parts of an order that its quote depends on. */
interface QuotedImages extends Pick<PaidImageOrder, 'model' | 'partial_images'> {
  readonly wanted: Pick<
    ImageOrder,
    'prompt' | 'count' | 'size_text' | 'quality' | 'input_fidelity' | 'sources' | 'mask' | 'conversation'
  >
  readonly references: { readonly length: number }
}

/** Returns the amount to hold for an order. */
export function quoteOrder(order: QuotedImages): Quote {
  const { model, wanted, partial_images } = order
  if (model.price.unit === 'image')
    return quoteImages(model.price, pricedOrder(wanted, wanted.count, partial_images))
  return quoteImageTokens(model.price, requestedTokens(order, wanted.count))
}

/** @param partial_images sent to the caller before the images */
export function billImages(
  parts: Pick<CallParts, 'log'>,
  held: Held<PaidImageOrder>,
  images: readonly GeneratedImage[],
  partial_images = 0,
): ImageBill {
  const { order } = held
  const { price } = order.model
  if (price.unit === 'image')
    return {
      charge: chargeImages(price, pricedOrder(order.wanted, images.length, partial_images)),
      usage: NO_USAGE,
      estimated: false,
      image_attempts: images.map(({ response }) => response.attempt),
      tokens: undefined,
    }
  const answers = [...Map.groupBy(images, ({ response }) => response)].map(([response, kept]) => ({
    ...response,
    billed: billAnswer(order, response, kept.length, partial_images),
  }))
  for (const { attempt, reported, billed } of answers)
    reportDoubt(
      parts,
      held,
      attempt,
      billed.doubt === undefined ? undefined : { reported, why: billed.doubt },
      billed.tokens,
    )
  const tokens = sumImageTokens(answers.map(({ billed }) => billed.tokens))
  const doubted = answers.find(({ billed }) => billed.doubt !== undefined)
  return {
    charge: chargeImageTokens(price, tokens),
    usage: tokens.usage,
    estimated: answers.some(({ billed }) => billed.estimated),
    reported_usage: doubted?.reported?.usage,
    doubt: doubted?.billed.doubt,
    tokens_by_answer: answers.map(
      ({ attempt, billed }): ImageAnswerTokens => ({ attempt, tokens: billed.tokens }),
    ),
    tokens,
  }
}

const billAnswer = (
  order: PaidImageOrder,
  { count, sent, reported }: ImageResponse,
  kept: number,
  partial_images: number,
): BilledImageTokens =>
  billImageTokens({ request: requestedTokens(order, count), reported, sent, kept, partial_images })

/** Bills partial images alone: no final image followed, and the provider reported no usage. */
export function billPartials({ order }: Held<PaidImageOrder>, partial_images: number): ImageBill {
  const { price } = order.model
  if (price.unit === 'image') {
    const charge = chargeImages(price, pricedOrder(order.wanted, 0, partial_images))
    return { charge, usage: NO_USAGE, estimated: false, tokens: undefined }
  }
  const tokens = estimateImageTokens(requestedTokens(order, 1), 0, partial_images)
  return { charge: chargeImageTokens(price, tokens), usage: tokens.usage, estimated: true, tokens }
}

/** @param count images of the whole call or of one request */
function requestedTokens(order: QuotedImages, count: number): ImageRequestTokens {
  const { model, wanted, partial_images } = order
  const texts = textsOf(order)
  const bound = model.bounds.find(
    ({ size, quality }) =>
      (size === undefined || size === wanted.size_text) &&
      (quality === undefined || quality === wanted.quality),
  )
  return {
    count,
    prompt: {
      bound_tokens: Math.ceil(texts.reduce((sum, text) => sum + boundText(text), 0)),
      estimated_tokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0),
    },
    references: inputImageCount(order),
    reference_tokens: referenceTokens(model.routes.map(generationName), wanted.input_fidelity === 'high'),
    partial_images,
    max_tokens_per_image: bound?.max_tokens_per_image ?? model.max_tokens_per_image,
    is_of_shape: bound !== undefined,
  }
}

/** Returns all text that a provider may read; some read the whole conversation. */
function textsOf({ wanted: { prompt, conversation } }: QuotedImages): string[] {
  if (!conversation) return [prompt]
  const turn_texts = conversation.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => ('text' in part && typeof part.text === 'string' ? part.text : [])),
  )
  return [...conversation.system, ...turn_texts]
}

function inputImageCount({ references, wanted: { sources, mask, conversation } }: QuotedImages): number {
  const uploads = sources.filter(({ kind }) => kind === 'upload').length
  const image_parts = conversation?.turns.flatMap(({ parts }) =>
    parts.filter(({ kind }) => kind === 'image'),
  ).length
  return (image_parts ?? references.length + uploads) + (mask ? 1 : 0)
}

/** Returns the parts of an order that set its price. @param count images requested or generated @param partial_images requested or sent */
const pricedOrder = (
  { size_text, quality, input_fidelity }: Pick<ImageOrder, 'size_text' | 'quality' | 'input_fidelity'>,
  count: number,
  partial_images = 0,
): PricedOrder => ({
  count,
  size: size_text,
  quality,
  high_fidelity: input_fidelity === 'high',
  partial_images,
})
