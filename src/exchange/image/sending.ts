// Owns how an image call is put to its model's routes, and what comes back: base64, or whose doing it is that nothing did.
import type { ImageModel, Provider } from '../../domain/catalogue.ts'
import { GatewayError, invalidRequest, upstreamFailed } from '../../domain/errors.ts'
import type { Size } from '../../domain/image-size.ts'
import { geminiImages } from '../../protocols/gemini/images.ts'
import type { ImageAnswer, ImageProtocol, NoImage, Reference } from '../../protocols/images.ts'
import { openaiImages } from '../../protocols/openai/images.ts'
import { parseObject } from '../../protocols/wire/json.ts'
import type { Sending } from '../paid-call.ts'
import type { ImageOrder } from './order.ts'

/** The messages protocol has no images. */
const PROTOCOLS: Partial<Record<Provider['protocol'], ImageProtocol>> = {
  gemini: geminiImages,
  openai: openaiImages,
}

/** What a model may be asked for whose sizes the catalogue does not list: the largest of spec.md, Limits, "Sizes verified to work". */
const MAX_SIDE_PIXELS = 2_048

/**
 * How many images each of the requests that make up a call is to ask for: as few requests as all of the model's routes
 * allow.
 */
export function splitOrder(
  { routes }: ImageModel,
  providers: ReadonlyMap<string, Provider>,
  count: number,
): number[] {
  const most = routes.map(({ provider, model }) => {
    const protocol = providers.get(provider)?.protocol
    return (protocol === undefined ? undefined : PROTOCOLS[protocol]?.maxPerRequest(model)) ?? count
  })
  const each = Math.min(count, ...most)
  return Array.from({ length: Math.ceil(count / each) }, (_, at) => Math.min(each, count - at * each))
}

/** One request of a call. @param count images that it asks for */
export function sendingOf(
  order: ImageOrder,
  model: ImageModel,
  references: readonly Reference[],
  count: number,
): Sending<ImageAnswer> {
  const { prompt, aspect_ratio, quality, background, output_format, size } = order
  return {
    streams: false,
    timeout_ms: model.timeout_ms,
    write({ provider, model: upstream_model, api_key }) {
      assertMakes(model, order)
      const { path, headers, body } = protocolOf(provider).encode(
        { prompt, references, count, size, aspect_ratio, quality, background, output_format },
        { model: upstream_model, api_key },
      )
      return {
        url: provider.base_url + path,
        headers: { 'accept-encoding': 'identity', ...headers, ...provider.headers },
        body,
      }
    },
    async open(response, { provider }) {
      const answer = parseObject(await response.text())
      if (!answer) throw new Error('the answer is not a JSON object')
      return protocolOf(provider).decode(answer)
    },
    readFailure: ({ provider }, ...refusal) => protocolOf(provider).readFailure(...refusal),
  }
}

/** Nothing less is ever answered than what was asked, so that a size beyond the model fails (spec.md, Limits). */
function assertMakes({ sizes }: ImageModel, { size, size_text }: ImageOrder): void {
  if (!size || size_text === undefined) return
  const makes = sizes ? sizes.includes(size_text) : isWithin(size)
  if (!makes) throw beyondModel()
}

const isWithin = ({ width, height }: Size): boolean => Math.max(width, height) <= MAX_SIDE_PIXELS

function protocolOf({ protocol }: Provider): ImageProtocol {
  const found = PROTOCOLS[protocol]
  if (!found) throw upstreamFailed('The model is not set up for images. Ask the operator of this gateway.')
  return found
}

const NO_IMAGE: Readonly<Record<NoImage, string>> = {
  content_policy_violation:
    'The image was refused by moderation. Nothing was charged. Change the prompt or the images.',
  no_image_generated:
    'The model answered without an image. Nothing was charged. Describe what it is to draw.',
}

/** What a caller is told where no image came. @param refusal the reason that the provider gave */
export const noImage = (refusal: NoImage): GatewayError =>
  invalidRequest(NO_IMAGE[refusal], { code: refusal })

/** A provider's refusal in the terms of the images' endpoints. */
export function imageFailure(thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError)) return thrown
  if (thrown.code === 'content_policy_violation') return noImage('content_policy_violation')
  return thrown.code === 'unsupported_size' ? beyondModel() : thrown
}

const beyondModel = (): GatewayError =>
  upstreamFailed('The model cannot make an image of this size. Nothing was charged. Ask for another size.', {
    code: 'upstream_error',
  })
