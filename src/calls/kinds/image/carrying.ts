// Optional fields of image requests: the routes that take them, found before anything is held.
import { EXTRA_QUALITIES, type ExtraQuality, type ImageModel } from '../../../domain/catalogue.ts'
import { type GatewayError, invalidRequest } from '../../../domain/errors.ts'
import type { ImageTraits } from '../../../protocols/images.ts'
import type { CallParts } from '../../parts.ts'
import { carriedBy } from '../../serving/dispatch-call.ts'
import type { ImageOrder } from './order.ts'
import { imagesOf } from './sending.ts'

type RequestedFields = Pick<ImageOrder, 'mask' | 'mask_source' | 'input_fidelity' | 'moderation' | 'quality'>

/**
 * The model with the routes that take the order's fields.
 * @throws GatewayError invalid_request that names a field that no route takes, or that the model has no price for
 */
export async function carryingFields(
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
  return carriedBy(parts, model, (provider, route) =>
    assertTaken(imagesOf(parts.protocols, provider).traitsOf(route), {
      has_mask,
      input_fidelity,
      moderation,
      quality,
    }),
  )
}

/** Whether a quality is one that models take only where their entries name it. */
const isExtraQuality = (quality: string | null | undefined): quality is ExtraQuality =>
  EXTRA_QUALITIES.some((extra) => extra === quality)

function assertTaken(
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
  // `auto` is the default of all.
  if (moderation !== undefined && moderation !== 'auto' && !traits.moderation)
    throw refused(
      'moderation',
      `this model does not support ${moderation}. Leave it out, or choose another model`,
    )
}

const refused = (param: keyof RequestedFields, problem: string): GatewayError =>
  invalidRequest(`${param}: ${problem}.`, { param })
