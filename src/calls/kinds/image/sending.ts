// The encoding of an image call for its model's routes, and the decoding of answers: base64 images, or the reason for none.
import type { ImageModel, Provider } from '../../../domain/catalogue.ts'
import { GatewayError, invalidRequest, UpstreamFault, upstreamFailed } from '../../../domain/errors.ts'
import type { Size } from '../../../domain/image-size.ts'
import type { ImageAnswer, ImageProtocol, NoImage, Reference } from '../../../protocols/images.ts'
import { protocolOf, type Registry } from '../../../protocols/registry.ts'
import { parseObject } from '../../../protocols/wire/json.ts'
import { requestTo } from '../../../upstream/request.ts'
import { type Attempt, routesWithProviders } from '../../../upstream/routes.ts'
import type { Sending } from '../../../upstream/sending.ts'
import { readAnswer } from '../../../upstream/transport.ts'
import type { CallParts } from '../../parts.ts'
import type { ImageOrder, PaidImageOrder } from './order.ts'

/** @param is_whole the answer has no partial images @param attempt the one that answered */
export function droppedHeader(
  { protocols }: Pick<CallParts, 'protocols'>,
  { streams, partial_images = 0, quality = 'auto' }: ImageOrder,
  { is_whole, attempt }: { is_whole: boolean; attempt: Attempt | undefined },
): Record<string, string> {
  const dropped: string[] = []
  if (is_whole && streams && partial_images > 0) dropped.push('partial_images')
  if (attempt && quality !== 'auto' && !imageVerbsOf(protocols, attempt.provider).traitsOf(attempt).quality)
    dropped.push('quality')
  return dropped.length === 0 ? {} : { 'x-tollgate-dropped': dropped.join(', ') }
}

const NOTHING_CHARGED = 'Nothing was charged'

/** The limit of models without listed sizes in the catalogue: the largest of spec.md, Limits, "Sizes verified to work". */
const MAX_SIDE_PIXELS = 2_048

/** Splits a call's images into requests: as few as all of the model's routes allow. Returns the images of each. */
export function splitOrder(
  { protocols, catalogue }: Pick<CallParts, 'protocols' | 'catalogue'>,
  model: ImageModel,
  count: number,
): number[] {
  const limits = routesWithProviders(catalogue(), model).map((route) =>
    imageVerbsOf(protocols, route.provider).maxPerRequest(route),
  )
  const each = Math.min(count, ...limits)
  return Array.from({ length: Math.ceil(count / each) }, (_, at) => Math.min(each, count - at * each))
}

/** Makes one upstream request of a call. @param count images that it asks for */
export function sendingOf(
  { protocols, catalogue }: Pick<CallParts, 'protocols' | 'catalogue'>,
  { wanted, model, partial_images }: PaidImageOrder,
  references: readonly Reference[],
  count: number,
): Sending<ImageAnswer> {
  const { output_compression, output_format } = wanted
  return {
    streams: false,
    timeout_ms: model.timeout_ms,
    write(attempt) {
      const { provider } = attempt
      assertSizeSupported(model, wanted)
      const { body, ...target } = imageVerbsOf(protocols, provider).encode(
        {
          ...wanted,
          references,
          count,
          partial_images,
          // Providers reject it for PNG, their default format.
          output_compression:
            output_format === 'jpeg' || output_format === 'webp' ? output_compression : undefined,
        },
        attempt,
      )
      return requestTo(attempt, target, body)
    },
    async open(response, { provider }) {
      const bytes = await readAnswer(response, catalogue().server.max_answer_bytes)
      const answer = parseObject(bytes.toString())
      if (!answer) throw new UpstreamFault('the answer is not a JSON object')
      return imageVerbsOf(protocols, provider).decode(answer)
    },
    readFailure: ({ provider }, ...refusal) => imageVerbsOf(protocols, provider).readFailure(...refusal),
  }
}

/** Rejects a size that the model cannot make, since no smaller image may be returned (spec.md, Limits). */
function assertSizeSupported({ sizes }: ImageModel, { size, size_text }: ImageOrder): void {
  if (!size || size_text === undefined) return
  const makes = sizes ? sizes.includes(size_text) : isWithin(size)
  if (!makes) throw unsupportedSize()
}

const isWithin = ({ width, height }: Size): boolean => Math.max(width, height) <= MAX_SIDE_PIXELS

/** Returns a provider's image verbs. @throws GatewayError upstream_failed if it has none */
export function imageVerbsOf(protocols: Registry, provider: Provider): ImageProtocol {
  const { images } = protocolOf(protocols, provider)
  if (!images) throw upstreamFailed('The model is not set up for images. Ask the operator of this gateway.')
  return images
}

/** Whether the provider compresses images as requested. */
export const compresses = ({ protocols }: Pick<CallParts, 'protocols'>, attempt: Attempt): boolean =>
  imageVerbsOf(protocols, attempt.provider).traitsOf(attempt).output_compression

const NO_IMAGE: Readonly<Record<NoImage, string>> = {
  content_policy_violation: `The image was refused by moderation. ${NOTHING_CHARGED}. Change the prompt or the images.`,
  no_image_generated: `The model answered without an image. ${NOTHING_CHARGED}. Describe the image in the prompt.`,
}

/** Makes the error for an answer without images. @param refusal the provider's reason */
export const noImage = (refusal: NoImage): GatewayError =>
  invalidRequest(NO_IMAGE[refusal], { code: refusal })

/** Rewords a failure for a caller who pays for delivered partial images. */
export function withPartialsCharged(failure: GatewayError): GatewayError {
  const { kind, message, code, param, cause } = failure
  return new GatewayError(
    kind,
    message.replace(NOTHING_CHARGED, 'Only the delivered partial images are charged'),
    { code, param, cause },
  )
}

/** Rewords a provider's refusal for the image endpoints. */
export function imageFailure(thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError)) return thrown
  if (thrown.code === 'content_policy_violation') return noImage('content_policy_violation')
  return thrown.code === 'unsupported_size' ? unsupportedSize() : thrown
}

const unsupportedSize = (): GatewayError =>
  upstreamFailed(`The model cannot make an image of this size. ${NOTHING_CHARGED}. Ask for another size.`, {
    code: 'upstream_error',
  })
