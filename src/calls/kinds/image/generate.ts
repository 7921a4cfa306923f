// Generation of a held call's images: requested from the model's routes, then converted to the caller's size and format.
import { GatewayError } from '../../../domain/errors.ts'
import type { Library } from '../../../library/library.ts'
import { convert } from '../../../media/convert.ts'
import type { ImageAnswer, NoImage, Reference, SentImage } from '../../../protocols/images.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchRequest } from '../../serving/dispatch-call.ts'
import { recordAnswering } from '../../settling/settlement.ts'
import type { GeneratedImage, ImageResponse } from './generated-images.ts'
import type { PaidImageOrder } from './order.ts'
import { compresses, noImage, sendingOf, splitOrder } from './sending.ts'

type HeldImages = Held<PaidImageOrder>

/** An image, and whether the provider compressed it as requested. */
interface ReceivedImage extends SentImage {
  is_compressed: boolean
  response: ImageResponse
}

/**
 * Generates the images of a call.
 * @returns the usable images; at least one, at most as many as were ordered
 * @throws GatewayError content_policy_violation or no_image_generated (as invalid_request), or as `dispatch`
 */
export async function generateImages(
  parts: CallParts,
  library: Pick<Library, 'probe'>,
  held: HeldImages,
  references: readonly Reference[],
): Promise<GeneratedImage[]> {
  const sent = await sendRequests(parts, held, references)
  library.probe('dispatched')
  return convertAll(parts, held, sent)
}

/** Sends all requests of a call at once. Some may fail: the images of the others are answered and charged. */
async function sendRequests(
  parts: CallParts,
  held: HeldImages,
  references: readonly Reference[],
): Promise<ReceivedImage[]> {
  const { model, wanted } = held.order
  const requests = splitOrder(parts, model, wanted.count)
  const outcomes = await Promise.allSettled(
    requests.map(async (count) => {
      const sending = sendingOf(parts, held.order, references, count)
      const { answer, attempt } = await dispatchRequest(parts, held, model, sending, held.trace)
      recordAnswering(parts, held, attempt)
      return { answer, attempt, count }
    }),
  )
  const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failures: unknown[] = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  const images = answers.flatMap(({ answer, attempt, count }) => {
    if (!('images' in answer)) return []
    const response = { attempt, count, sent: answer.images.length, reported: answer.usage }
    const is_compressed = compresses(parts, attempt)
    return answer.images.map((image) => ({ ...image, is_compressed, response }))
  })
  const thrown =
    images.length > 0 ? undefined : (failures[0] ?? noImage(reasonOf(answers.map(({ answer }) => answer))))
  // Failures of routes are already logged. Of the others, only the thrown one gets logged later.
  for (const cause of failures)
    if (!(cause instanceof GatewayError) && cause !== thrown)
      parts.log.error({ request_id: held.origin.request_id, cause }, 'a request for images failed')
  if (thrown !== undefined) throw thrown
  return images.slice(0, wanted.count)
}

/** Converts images to the requested size and format. Images that cannot be decoded are left out. */
export async function convertAll(
  { log }: CallParts,
  { origin, order }: HeldImages,
  sent: readonly ReceivedImage[],
): Promise<GeneratedImage[]> {
  const outcomes = await Promise.allSettled(
    sent.map(async ({ base64, revised_prompt, beside, is_compressed, response }) => ({
      ...(await convert(Buffer.from(base64, 'base64'), { ...order.wanted, is_compressed })),
      revised_prompt,
      beside,
      response,
    })),
  )
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const images = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const { request_id } = origin
  for (const cause of failures) log.warn({ request_id, cause: causeOf(cause) }, 'an image was unusable')
  if (images.length === 0) throw failures[0]
  return images
}

/** Returns moderation as the reason if any answer was blocked by it. */
function reasonOf(answers: readonly ImageAnswer[]): NoImage {
  const blocked = answers.some(
    (answer) => 'refusal' in answer && answer.refusal === 'content_policy_violation',
  )
  return blocked ? 'content_policy_violation' : 'no_image_generated'
}

const causeOf = (thrown: unknown): unknown => (thrown instanceof GatewayError ? thrown.cause : thrown)
