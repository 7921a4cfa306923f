// Margins of a price in a form: each amount beside its cost at each route, the provider's list price, and the price with the markup.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ConsoleParts, FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import { costDivisor, priceDivisor } from '../../../src/catalogue/cache-reads.ts'
import { KNOWN_PROVIDERS, listedPrice, PRICES_AS_OF } from '../../../src/catalogue/known-models.ts'
import { markupFactor } from '../../../src/catalogue/markup.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { marginPercent } from '../../../src/domain/margin.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { money, NullableMoneyFields } from '../../../src/http/views.ts'
import { type FieldMargin, fieldMargins } from '../margins/field-margins.ts'
import { priceSettings } from '../settings.ts'

const MAX_ROUTES = 100
const Name = Type.String({ maxLength: 256 })
const Rates = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  description: 'as in the catalogue; missing and invalid amounts are ignored',
})

const MarginsBody = Closed({
  kind: Name,
  price: Rates,
  markup: Type.Optional(Type.String({ maxLength: 32, description: 'replaces the markup of the catalogue' })),
  routes: Type.Array(
    Closed({ provider: Name, model: Name, generation: Type.Optional(Name), cost: Type.Optional(Rates) }),
    { maxItems: MAX_ROUTES },
  ),
})

const LineView = Type.Object({
  path: Type.Array(Type.Union([Type.String(), Type.Integer()]), { description: 'its place in the price' }),
  ...NullableMoneyFields('price', 'Written, or derived from other rates'),
  ...NullableMoneyFields('cost', 'The same amount of the cost'),
  ...NullableMoneyFields('margin', 'What is left of the price'),
  margin_percent: Nullable(Type.String({ description: 'of the price, to a tenth: `20`, `-12.5`' })),
  ...NullableMoneyFields('proposed', 'The written cost with the markup, rounded up'),
  ...NullableMoneyFields('covering', 'For unpriced cache reads below cost: the price that covers the cost'),
})

const ListedView = Type.Object({
  title: Type.String({ description: 'of the provider' }),
  as_of: Type.String({ description: 'the month of its list' }),
  prices_url: Type.String(),
  rates: Type.Record(Type.String(), Type.String(), { description: 'USD, by the names of a cost' }),
  context: Type.Integer(),
  max_output_tokens: Type.Integer(),
})

const MarginsView = Type.Object({
  kind: Type.String({ description: 'as in the request' }),
  markup: Nullable(Type.String({ description: 'per cent on a cost; null: not set yet' })),
  routes: Type.Array(
    Type.Object({
      provider: Type.String(),
      model: Type.String(),
      listed: Nullable(ListedView),
      lines: Type.Array(LineView),
    }),
  ),
})

/** `POST /console/api/prices/margins`, for the operator. It changes nothing. */
export const marginRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-margins' })
    .use(operatorCalls(gateway))
    .post('/console/api/prices/margins', ({ body }) => marginsView(body, gateway.calls.catalogue()), {
      body: MarginsBody,
      response: { 200: MarginsView, ...FAILURES },
    })

function marginsView(
  { kind, price, routes, ...body }: Static<typeof MarginsBody>,
  catalogue: Catalogue,
): Static<typeof MarginsView> {
  const markup = body.markup ?? priceSettings.of(catalogue).markup
  const factor = markup === undefined ? undefined : markupFactor(markup)
  return {
    kind,
    markup: factor ? (markup ?? null) : null,
    routes: routes.map(({ provider, model, cost = {}, ...route }) => {
      const divisors = { price: priceDivisor(routes), cost: costDivisor({ model, ...route }) }
      return {
        provider,
        model,
        listed: kind === 'text' ? listedView(provider, model, catalogue) : null,
        lines: fieldMargins(kind, price, cost, divisors, factor).map(lineView),
      }
    }),
  }
}

function lineView({
  path,
  price_nanos,
  cost_nanos,
  proposed_nanos,
  covering_nanos,
}: FieldMargin): Static<typeof LineView> {
  const are_known = price_nanos !== null && cost_nanos !== null
  return {
    path: [...path],
    ...money('price', price_nanos),
    ...money('cost', cost_nanos),
    ...money('margin', are_known ? price_nanos - cost_nanos : null),
    margin_percent: are_known ? marginPercent(price_nanos, cost_nanos) : null,
    ...money('proposed', proposed_nanos),
    ...money('covering', covering_nanos),
  }
}

function listedView(name: string, model: string, { providers }: Catalogue): Static<typeof ListedView> | null {
  const provider = providers.get(name)
  const listed = provider && listedPrice(provider, model)
  const known = listed && KNOWN_PROVIDERS.find(({ models }) => models.includes(listed))
  if (!known) return null
  const { input, output, cache_read, context, max_output_tokens } = listed
  return {
    title: known.title,
    as_of: PRICES_AS_OF,
    prices_url: known.prices_url,
    rates: { input, output, ...(cache_read === undefined ? {} : { cache_read }) },
    context,
    max_output_tokens,
  }
}
