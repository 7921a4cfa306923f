// The price of images before they are generated: the quote that their call holds.
import { type Static, Type } from '@sinclair/typebox'
import { compileModelPatterns } from '../../src/access/model-patterns.ts'
import { quoteOrder } from '../../src/calls/kinds/image/billing.ts'
import { MAX_PROMPT_CHARS } from '../../src/calls/kinds/image/order.ts'
import { type Catalogue, type ImageModel, isServed } from '../../src/domain/catalogue.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { parseSize } from '../../src/domain/image-size.ts'
import { Closed } from '../../src/http/schema.ts'
import { MoneyFields, money } from '../../src/http/views.ts'
import type { Key } from '../../src/store/schema.ts'

const MAX_REFERENCES = 3

export const QuoteFields = Closed({
  model: Type.String({ minLength: 1, must: 'the name of an image model' }),
  /** Part of the price if images are priced by tokens. */
  prompt: Type.String({ maxLength: 2 * MAX_PROMPT_CHARS, must: 'a text' }),
  n: Type.Integer({ minimum: 1, must: 'a whole number, 1 or more' }),
  size: Type.Optional(Type.String({ must: '"auto" or WIDTHxHEIGHT, such as 1024x1024' })),
  quality: Type.Optional(Type.String({ must: 'a quality of the model' })),
  /** Reference images. */
  references: Type.Integer({
    minimum: 0,
    maximum: MAX_REFERENCES,
    must: `a whole number from 0 to ${MAX_REFERENCES}`,
  }),
})

export const QuoteView = Closed({
  ...MoneyFields('held'),
  is_most: Type.Boolean({ description: 'whether the charge may be lower: images priced by tokens' }),
})

/**
 * @param models the models with the prices of the paying account
 * @throws GatewayError for a model that the key may not call, or an order that the model refuses
 */
export function quoteView(
  models: Catalogue['models'],
  key: Key | undefined,
  { model: id, prompt, n, size, quality, references }: Static<typeof QuoteFields>,
): Static<typeof QuoteView> {
  const model = imageModel(models, key, id)
  if (n > model.max_n_per_request)
    throw invalidRequest(`n: must be at most ${model.max_n_per_request} for this model.`, { param: 'n' })
  if (size !== undefined) parseSize(size)
  const wanted = {
    prompt,
    count: n,
    size_text: size,
    quality,
    input_fidelity: undefined,
    sources: [],
    mask: undefined,
    conversation: undefined,
  }
  const { ceiling_nanos } = quoteOrder({
    model,
    wanted,
    partial_images: 0,
    references: { length: references },
  })
  return { ...money('held', ceiling_nanos), is_most: model.price.unit !== 'image' }
}

function imageModel(models: Catalogue['models'], key: Key | undefined, id: string): ImageModel {
  const model = models.get(id)
  const mayCall = compileModelPatterns(key?.models ?? null)
  if (model?.kind === 'image' && isServed(model) && mayCall(id)) return model
  throw invalidRequest(`model: ${id} is not an image model that you can call.`, { param: 'model' })
}
