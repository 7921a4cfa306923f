// What not every image model takes: the routes that can be asked for it, found before anything is held.
import type { ImageModel } from '../../domain/catalogue.ts'
import { type GatewayError, invalidRequest } from '../../domain/errors.ts'
import type { ImageTraits } from '../../protocols/images.ts'
import type { ExchangeParts } from '../parts.ts'
import { carriedBy } from '../serving/carried-by.ts'
import type { ImageOrder } from './order.ts'
import { imagesOf } from './sending.ts'

type Asked = Pick<ImageOrder, 'mask' | 'input_fidelity' | 'moderation'>

/**
 * The model with the routes that take what the order asks for.
 * @throws GatewayError invalid_request that names what none takes, or what the model has no price for
 */
export async function carryingFields(
  parts: Pick<ExchangeParts, 'protocols' | 'catalogue'>,
  model: ImageModel,
  { mask, input_fidelity, moderation }: Asked,
): Promise<ImageModel> {
  if (!mask && input_fidelity === undefined && moderation === undefined) return model
  if (input_fidelity === 'high' && model.price.high_fidelity_nanos === undefined)
    throw refused('input_fidelity', 'this model has no price for high. Leave it out, or send low')
  return carriedBy(parts, model, (provider, route) =>
    assertTaken(imagesOf(parts.protocols, provider).traitsOf(route.model), {
      mask,
      input_fidelity,
      moderation,
    }),
  )
}

function assertTaken(traits: ImageTraits, { mask, input_fidelity, moderation }: Asked): void {
  if (mask && !traits.mask)
    throw refused(
      'mask',
      'this model does not take a mask. Describe the change in the prompt, or choose another model',
    )
  if (input_fidelity !== undefined && !traits.input_fidelity.includes(input_fidelity))
    throw refused(
      'input_fidelity',
      `this model does not take ${input_fidelity}. Leave it out, or choose another model`,
    )
  // The default of all, which need not be said.
  if (moderation !== undefined && moderation !== 'auto' && !traits.moderation)
    throw refused(
      'moderation',
      `this model does not take ${moderation}. Leave it out, or choose another model`,
    )
}

const refused = (param: keyof Asked, problem: string): GatewayError =>
  invalidRequest(`${param}: ${problem}.`, { param })
