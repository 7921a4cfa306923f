// The TypeBox schemas of prices in the catalogue file, from which the static types are derived.
import { type Static, type TOptional, Type } from '@sinclair/typebox'
import { RATES_OF_KIND, type RateName, type UnitKind } from '../domain/units.ts'
import { Count, closed } from './schema-parts.ts'

/** The requirement in messages about a wrong value. */
export const USD_MUST = 'an amount in USD of at most nine decimals, such as 0.30'

/** USD as a number or a string: `0.30` or `"0.30"`. It is parsed digit by digit, without floating-point multiplication. */
export const Usd = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.String()], { description, must: USD_MUST })

const tokenRates = {
  input: Usd('USD per million input tokens, text and images'),
  output: Usd('USD per million output tokens; thinking too, unless it has a rate of its own'),
  cache_read: Type.Optional(
    Usd(
      'per million tokens read from a cache; by default a tenth of input, or less if the model is known to cost less',
    ),
  ),
  cache_write_5m: Type.Optional(
    Usd('per million tokens written to a 5-minute cache; by default 1.25 x input'),
  ),
  cache_write_1h: Type.Optional(Usd('per million tokens written to a 1-hour cache; by default 2 x input')),
  thinking: Type.Optional(Usd('per million thinking tokens; by default the output rate')),
  audio: Type.Optional(Usd('per million audio input tokens; by default the input rate')),
  image_output: Type.Optional(Usd('per million image output tokens; by default the output rate')),
}

/** High enough for extras whose units are tokens. */
const MAX_UNITS = 1_000_000

const always = Type.Optional(Type.Boolean())

const ExtraSchema = Type.Union(
  [
    Type.Number({ minimum: 0 }),
    Type.String(),
    Type.Object({ per_call: Usd('USD'), always }, closed),
    Type.Object({ per_request: Usd('USD') }, closed),
    Type.Object(
      { per_unit: Usd('USD'), max_units: Type.Integer({ minimum: 1, maximum: MAX_UNITS }), always },
      closed,
    ),
  ],
  {
    must: 'USD per call, such as 0.03 (0 is free), { per_call = 0.03 }, { per_request = 0.005 } or { per_unit = 0.01, max_units = 5 }',
    description: `max_units: the most units of one call, from 1 to ${MAX_UNITS}; always: billed to calls that do not ask for it, too; per_request: to every call`,
  },
)

const tiers = Type.Optional(
  Type.Array(
    Type.Object(
      { above: Count('prompts with more tokens than this are charged at this tier'), ...tokenRates },
      closed,
    ),
  ),
)

/** A multiplier of all token rates, or a complete price. */
const ServiceTierSchema = Type.Union(
  [Type.Number({ minimum: 0 }), Type.String(), Type.Object({ ...tokenRates, tiers }, closed)],
  {
    must: 'a multiplier of the token rates, such as 2.0, or rates of its own, such as { input = 2.50, output = 15 }',
    description: 'a multiplier applies to the rates of `tiers`, too',
  },
)

export const TokenPriceSchema = Type.Object(
  {
    ...tokenRates,
    extras: Type.Optional(
      Type.Record(Type.String(), ExtraSchema, { description: 'what providers bill beyond tokens, by name' }),
    ),
    tiers,
    service_tiers: Type.Optional(
      Type.Record(Type.String(), ServiceTierSchema, {
        description: 'service tiers that callers may ask for, by name, such as priority and flex',
      }),
    ),
  },
  closed,
)

export const PER_IMAGE = 'USD per image that matches no entry of `variants`'

/** By image or by tokens; `readImagePrice` checks that it is one of them. */
export const ImagePriceSchema = Type.Object(
  {
    per_image: Type.Optional(Usd(PER_IMAGE)),
    variants: Type.Optional(
      Type.Array(
        Type.Object(
          {
            size: Type.Optional(Type.String()),
            quality: Type.Optional(Type.String()),
            per_image: Usd('USD per image'),
          },
          closed,
        ),
      ),
    ),
    partial_image: Type.Optional(
      Usd('USD per partial image of a stream; without it, callers get no partial images'),
    ),
    high_fidelity: Type.Optional(
      Usd('USD more per image of an edit with `input_fidelity` high; without it, such edits are refused'),
    ),
    input: Type.Optional(Usd('USD per million text input tokens, instead of per_image')),
    image_input: Type.Optional(Usd('per million image input tokens; by default the input rate')),
    cache_read: Type.Optional(Usd('per million text tokens read from a cache; by default the input rate')),
    image_cache_read: Type.Optional(
      Usd('per million image tokens read from a cache; by default the image_input rate'),
    ),
    output: Type.Optional(Usd('per million text output tokens; by default the image_output rate')),
    image_output: Type.Optional(Usd('per million image output tokens')),
  },
  closed,
)

/** Embeddings have input tokens only. */
export const EmbeddingPriceSchema = Type.Object({ input: Usd('USD per million input tokens') }, closed)

const UNIT_RATES: Readonly<Record<RateName, string>> = {
  per_million_characters: 'USD per million spoken characters',
  per_minute: 'USD per minute of audio',
  per_second: 'USD per second of audio, instead of per_minute',
  per_search: 'USD per search',
  per_thousand_searches: 'USD per thousand searches, instead of per_search',
  input: 'USD per million input tokens',
  audio: 'USD per million audio input tokens; by default the input rate',
  output: 'USD per million output tokens',
}

/** The price of a kind of model priced by units: one or more of its rates. */
export const UnitPriceSchema = (kind: UnitKind) =>
  Type.Object(
    Object.fromEntries(
      RATES_OF_KIND[kind].map((name) => [name, Type.Optional(Usd(UNIT_RATES[name]))]),
    ) as Record<RateName, TOptional<ReturnType<typeof Usd>>>,
    { ...closed, minProperties: 1, must: `a price with one or more of ${RATES_OF_KIND[kind].join(', ')}` },
  )

export type UnitPriceText = Static<ReturnType<typeof UnitPriceSchema>>
export type ServiceTierText = Static<typeof ServiceTierSchema>
export type ExtraPriceText = Static<typeof ExtraSchema>
export type TokenPriceText = Static<typeof TokenPriceSchema>
export type EmbeddingPriceText = Static<typeof EmbeddingPriceSchema>
export type ImagePriceText = Static<typeof ImagePriceSchema>
