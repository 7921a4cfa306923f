// Optional fields of image requests: routes that support them, found before the hold.
import { EXTRA_QUALITIES, type ExtraQuality, type ImageModel } from '../../../domain/catalogue.ts'
import { type GatewayError, invalidRequest } from '../../../domain/errors.ts'
import type { ImageTraits } from '../../../protocols/images.ts'
import type { CallParts } from '../../parts.ts'
import { withSupportingRoutes } from '../../serving/dispatch-call.ts'
import type { ImageOrder } from './order.ts'
import { imageVerbsOf } from './sending.ts'

type RequestedFields = Pick<ImageOrder, 'mask' | 'mask_source' | 'input_fidelity' | 'moderation' | 'quality'>

/**
 * Returns the model with only the routes that support the order's fields.
 * @throws GatewayError invalid_request naming a field that no route supports, or that the model has no price for
 */
export async function withRoutesForFields(
  parts: Pick<CallParts, 'protocols' | 'catalogue'>,
  model: ImageModel,
  { mask, mask_source, input_fidelity, moderation, quality }: RequestedFields,
): Promise<ImageModel> {
  const is_extra = isExtraQuality(quality)
  if (is_extra && !model.qualities.includes(quality))
    throw refused('quality', `this model does not support ${quality}. Leave it out, or choose another model`)
  const has_mask = mask !== undefined || mask_source !== undefined
  if (!has_mask && input_fidelity === undefined && moderation === undefined && !is_extra) return model
  const { price } = model
  if (input_fidelity === 'high' && price.unit === 'image' && price.high_fidelity_nanos === undefined)
    throw refused('input_fidelity', 'this model has no price for high. Leave it out, or send low')
  return withSupportingRoutes(parts, model, (provider, route) =>
    assertSupported(imageVerbsOf(parts.protocols, provider).traitsOf(route), {
      has_mask,
      input_fidelity,
      moderation,
      quality,
    }),
  )
}

/** Whether the quality is available only on models that list it. */
const isExtraQuality = (quality: string | null | undefined): quality is ExtraQuality =>
  EXTRA_QUALITIES.some((extra) => extra === quality)

function assertSupported(
  traits: ImageTraits,
  { has_mask, input_fidelity, moderation, quality }: RequestedFields & { has_mask: boolean },
): void {
  if (isExtraQuality(quality) && !traits.qualities.includes(quality))
    throw refused('quality', `this model does not support ${quality}. Leave it out, or choose another model`)
  if (has_mask && !traits.mask)
    throw refused(
      'mask',
      'this model does not support masks. Describe the change in the prompt, or choose another model',
    )
  if (input_fidelity !== undefined && !traits.input_fidelity.includes(input_fidelity))
    throw refused(
      'input_fidelity',
      `this model does not support ${input_fidelity}. Leave it out, or choose another model`,
    )
  // Every model accepts `auto`, its default.
  if (moderation !== undefined && moderation !== 'auto' && !traits.moderation)
    throw refused(
      'moderation',
      `this model does not support ${moderation}. Leave it out, or choose another model`,
    )
}

const refused = (param: keyof RequestedFields, problem: string): GatewayError =>
  invalidRequest(`${param}: ${problem}.`, { param })
