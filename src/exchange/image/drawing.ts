// Owns getting the images of a held call: asked of its model's routes, and made into what its caller wants.
import type { Catalogue, ImageModel } from '../../domain/catalogue.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { Produced } from '../../library/generations.ts'
import type { Library } from '../../library/library.ts'
import { convert } from '../../media/convert.ts'
import type { Logger } from '../../observe/log.ts'
import type { ImageAnswer, NoImage, Reference, SentImage } from '../../protocols/images.ts'
import type { Held, PaidCalls } from '../paid-call.ts'
import type { ImageOrder } from './order.ts'
import { noImage, sendingOf, splitOrder } from './sending.ts'

export interface DrawingDeps {
  steps: Pick<PaidCalls, 'ask'>
  library: Pick<Library, 'probe'>
  catalogue: () => Catalogue
  log: Logger
}

/**
 * Draws the images of a call.
 *
 * @returns as many as came and can be used; at least one, at most as many as were ordered
 * @throws GatewayError content_policy_violation or no_image_generated (as invalid_request), or as `dispatch`
 */
export type Draw = (
  held: Held<ImageModel>,
  order: ImageOrder,
  references: readonly Reference[],
) => Promise<Produced[]>

/** Drawing over the steps of a paid call. */
export function createDrawing({ steps, library: { probe }, catalogue, log }: DrawingDeps): Draw {
  /** All requests of a call go out at once. Some may fail: what the others bring is answered, and charged. */
  async function ask(
    held: Held<ImageModel>,
    order: ImageOrder,
    references: readonly Reference[],
  ): Promise<SentImage[]> {
    const { model } = held
    const requests = splitOrder(model, catalogue().providers, order.count)
    const outcomes = await Promise.allSettled(
      requests.map(async (count) => {
        const { answer, attempt } = await steps.ask(held, model, sendingOf(order, model, references, count))
        held.settlement.reached(attempt)
        return answer
      }),
    )
    probe('dispatched')
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const images = answers.flatMap((answer) => ('images' in answer ? answer.images : []))
    if (images.length > 0) return images.slice(0, order.count)
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    throw failed ? failed.reason : noImage(reasonOf(answers))
  }

  /** As was asked, whatever the provider made of it. An image that does not decode is none. */
  async function makeFit(
    { origin }: Held<ImageModel>,
    order: ImageOrder,
    sent: readonly SentImage[],
  ): Promise<Produced[]> {
    const outcomes = await Promise.allSettled(
      sent.map(async ({ base64, revised_prompt }) => ({
        ...(await convert(Buffer.from(base64, 'base64'), order)),
        revised_prompt,
      })),
    )
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    const images = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const { request_id } = origin
    for (const cause of failures) log.warn({ request_id, cause: causeOf(cause) }, 'an image was unusable')
    if (images.length === 0) throw failures[0]
    return images
  }

  return async (held, order, references) => makeFit(held, order, await ask(held, order, references))
}

/** Moderation is the reason wherever it had a part in it. */
function reasonOf(answers: readonly ImageAnswer[]): NoImage {
  const blocked = answers.some(
    (answer) => 'refusal' in answer && answer.refusal === 'content_policy_violation',
  )
  return blocked ? 'content_policy_violation' : 'no_image_generated'
}

const causeOf = (thrown: unknown): unknown => (thrown instanceof GatewayError ? thrown.cause : thrown)
