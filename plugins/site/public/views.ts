// The public data as JSON, with its schema: models with their prices.
import { type Static, Type } from '@sinclair/typebox'
import { inputsOf } from '../../../src/catalogue/takes.ts'
import { type Catalogue, INPUT_MEDIA, isServed, type Model } from '../../../src/domain/catalogue.ts'
import { shutdownDateOf } from '../../../src/domain/model-ends.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import { priceLines } from '../../../src/money/pricing/price-lines.ts'
import { hiddenModels } from '../settings.ts'

export const KINDS = [
  'text',
  'image',
  'embedding',
  'speech',
  'transcription',
  'moderation',
  'rerank',
] as const satisfies readonly Model['kind'][]

const PriceLineView = Closed({
  name: Type.String({ description: 'The priced unit, such as `input`, `cache_read` or `per_image`.' }),
  of: Type.String({
    description: 'The calls that it is for, such as `prompts above 200,000 tokens`; empty: all others.',
  }),
  per: Type.String({ description: 'The quantity that the price is for, such as `million tokens`.' }),
  ...MoneyFields('price', 'The price'),
})

const ModelView = Closed({
  id: Type.String({ description: 'The ID of the model, as in `model` of a call.' }),
  display_name: Type.String({ description: 'The display name.' }),
  kind: OneOf(KINDS, { description: 'This decides the endpoints that call it.' }),
  price: Type.Array(PriceLineView, { description: 'The price of a call.' }),
  takes: Nullable(
    Type.Array(OneOf(['text', ...INPUT_MEDIA]), {
      description: 'The types of input that the model accepts; null if unknown.',
    }),
  ),
  context_tokens: Nullable(Type.Integer({ description: 'Of a text model: the most input tokens.' })),
  max_output_tokens: Nullable(Type.Integer({ description: 'Of a text model: the most output tokens.' })),
  shutdown_date: Nullable(
    Type.String({ description: 'The day on which it is shut down; null if none is known.' }),
  ),
})
export type PublicModel = Static<typeof ModelView>

export const PricingView = Closed(
  {
    object: Type.Literal('list'),
    currency: Type.Literal('USD'),
    models: Type.Array(ModelView, { description: 'In the order of the catalogue.' }),
  },
  { description: 'The models and their prices.' },
)

/** The models that everybody may see: the served ones, except those that the operator hides. */
export function publicModels(catalogue: Pick<Catalogue, 'models' | 'sections'>): Model[] {
  const isHidden = hiddenModels(catalogue)
  return [...catalogue.models.values()].filter((model) => isServed(model) && !isHidden(model.id))
}

export const pricingView = (models: readonly Model[]): Static<typeof PricingView> => ({
  object: 'list',
  currency: 'USD',
  models: models.map((model) => ({
    id: model.id,
    display_name: model.display_name,
    kind: model.kind,
    price: priceLines(model.price).map(({ nanos, ...line }) => ({ ...line, ...money('price', nanos) })),
    takes: inputsOf(model)?.slice() ?? null,
    context_tokens: model.kind === 'text' ? model.context : null,
    max_output_tokens: model.kind === 'text' ? model.max_output_tokens : null,
    shutdown_date: shutdownDateOf(model) ?? null,
  })),
})
