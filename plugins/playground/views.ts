// The playground's view: the account and the key that pay for its calls, and the models with their parameters and prices.
import { type Static, Type } from '@sinclair/typebox'
import { availableOf } from '../../src/access/account-listing.ts'
import { CONSOLE_KEY, type KeyState, stateOfKey } from '../../src/access/console-key.ts'
import { compileModelPatterns } from '../../src/access/model-patterns.ts'
import { realFirst } from '../../src/app/surface/console/suggested-models.ts'
import { type Catalogue, type ImageModel, isServed, type TextModel } from '../../src/domain/catalogue.ts'
import { addProduct, divideRoundingUp } from '../../src/domain/money.ts'
import { modelsFor } from '../../src/domain/price-groups.ts'
import { TOKENS_PER_RATE } from '../../src/domain/prices.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields } from '../../src/http/views.ts'
import type { RequestField } from '../../src/protocols/carries.ts'
import { protocolOf, type Registry } from '../../src/protocols/registry.ts'
import type { Account, Key } from '../../src/store/schema.ts'

const KeyView = Closed({
  name: Type.String(),
  prefix: Type.String(),
  state: OneOf<KeyState>(['usable', 'revoked', 'expired']),
  models: Nullable(Type.Array(Type.String())),
  ...NullableMoneyFields('spend_limit'),
  ...MoneyFields('spent'),
})

/** Fields of chat completions that a page offers, by the canonical form's names for them. */
const OFFERED = {
  max_output_tokens: 'max_completion_tokens',
  temperature: 'temperature',
  top_p: 'top_p',
  stop: 'stop',
  seed: 'seed',
  frequency_penalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
  thinking: 'reasoning_effort',
} as const satisfies Partial<Record<RequestField, string>>

type Parameter = (typeof OFFERED)[keyof typeof OFFERED]

const TextModelView = Closed({
  id: Type.String(),
  display_name: Type.String(),
  context: Type.Integer(),
  max_output_tokens: Type.Integer(),
  /** Fields of chat completions that its providers accept, or that the gateway translates for them. */
  parameters: Type.Array(OneOf<Parameter>(Object.values(OFFERED))),
  /** The prices per million tokens; those of the first tier, if there are several. */
  ...MoneyFields('input'),
  ...MoneyFields('output'),
  has_tiers: Type.Boolean(),
})

const ImageModelView = Closed({
  id: Type.String(),
  display_name: Type.String(),
  max_n: Type.Integer(),
  /** Null: any size up to 2048x2048. */
  sizes: Nullable(Type.Array(Type.String())),
  /** Qualities that have their own price, and others that the model accepts. */
  qualities: Type.Array(Type.String()),
  /** The lowest and the highest price of one image. */
  ...MoneyFields('from'),
  ...MoneyFields('to'),
})

export const PlayView = Closed({
  /** Null if the operator has not chosen an account yet. */
  payer: Nullable(
    Closed({
      account: Type.String(),
      status: OneOf(['active', 'suspended']),
      ...MoneyFields('available'),
      /** Null before the first call, which creates the console's key. */
      key: Nullable(KeyView),
      /** Whether the viewer may renew the console's key. */
      may_renew: Type.Boolean(),
    }),
  ),
  text_models: Type.Array(TextModelView),
  image_models: Type.Array(ImageModelView),
})

export const RenewedView = Closed({ key: KeyView })

export const keyView = (key: Key, now_ms: number): Static<typeof KeyView> => ({
  name: key.name,
  prefix: key.prefix,
  state: stateOfKey(key, now_ms),
  models: key.models,
  ...money('spend_limit', key.spend_limit_nanos),
  ...money('spent', key.spent_nanos),
})

interface PlayParts {
  account: Account | undefined
  key: Key | undefined
  catalogue: Catalogue
  protocols: Registry
  now_ms: number
}

/** @param key pays for the calls; its limits decide which models are offered */
export function playView({ account, key, catalogue, protocols, now_ms }: PlayParts): Static<typeof PlayView> {
  const mayCall = compileModelPatterns(key?.models ?? null)
  const own_models = modelsFor(catalogue, account?.price_group ?? null)
  const models = realFirst(own_models.values(), catalogue).filter(
    (model) => isServed(model) && mayCall(model.id),
  )
  const parametersFor = (model: TextModel) => parametersOf(model, catalogue, protocols)
  return {
    payer: account
      ? {
          account: account.name,
          status: account.status,
          ...money('available', availableOf(account)),
          key: key ? keyView(key, now_ms) : null,
          may_renew: key?.name === CONSOLE_KEY,
        }
      : null,
    text_models: models
      .filter((model) => model.kind === 'text')
      .map((model) => textView(model, parametersFor(model))),
    image_models: models.filter((model) => model.kind === 'image').map(imageView),
  }
}

/** The parameters that all providers of a model accept; a parameter that one of them drops is not offered. */
function parametersOf(model: TextModel, { providers }: Catalogue, protocols: Registry): Parameter[] {
  const tables = model.routes.flatMap((route) => {
    const provider = providers.get(route.provider)
    return provider ? [protocolOf(protocols, provider).carries.fields] : []
  })
  const fields = Object.keys(OFFERED) as (keyof typeof OFFERED)[]
  return fields
    .filter((field) => tables.every((table) => typeof table[field] === 'string'))
    .map((field) => OFFERED[field])
}

function textView(model: TextModel, parameters: Parameter[]): Static<typeof TextModelView> {
  const { id, display_name, context, max_output_tokens, price } = model
  const [{ rates }] = price.tiers
  return {
    id,
    display_name,
    context,
    max_output_tokens,
    parameters,
    ...money('input', rates.input_tokens),
    ...money('output', rates.output_tokens),
    has_tiers: price.tiers.length > 1,
  }
}

function imageView(model: ImageModel): Static<typeof ImageModelView> {
  const { id, display_name, max_n_per_request, sizes } = model
  const prices = imagePrices(model)
  return {
    id,
    display_name,
    max_n: max_n_per_request,
    sizes: sizes ? [...sizes] : null,
    qualities: [...new Set([...pricedQualities(model), ...model.qualities])],
    ...money('from', Math.min(...prices)),
    ...money('to', Math.max(...prices)),
  }
}

/** The price of one image; for prices by token, of an image with the maximum number of tokens. */
function imagePrices({ price, bounds, max_tokens_per_image }: ImageModel): number[] {
  if (price.unit === 'image')
    return [price.per_image_nanos, ...price.variants.map(({ per_image_nanos }) => per_image_nanos)]
  const most = [max_tokens_per_image, ...bounds.map((bound) => bound.max_tokens_per_image)]
  return most.map((tokens) =>
    divideRoundingUp(addProduct(0, tokens, price.rates.image_output), TOKENS_PER_RATE),
  )
}

const pricedQualities = ({ price, bounds }: ImageModel): string[] =>
  (price.unit === 'image' ? price.variants : bounds).flatMap(({ quality }) => quality ?? [])
