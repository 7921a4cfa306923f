// `prices list`: each model's price beside the cost of its routes, the margin, and the origin of the price. Other commands: import.ts, change.ts.

import type { Command } from 'commander'
import { checkPriceGroup } from '../../../src/access/account-group.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import type { Column } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import { listedPrice, PRICES_AS_OF } from '../../../src/catalogue/known-models.ts'
import { markupFactor } from '../../../src/catalogue/markup.ts'
import type { Catalogue, Model, Provider, Route } from '../../../src/domain/catalogue.ts'
import { marginPercent } from '../../../src/domain/margin.ts'
import { formatUsd, parseUsd } from '../../../src/domain/money.ts'
import { modelsFor } from '../../../src/domain/price-groups.ts'
import type { Price } from '../../../src/domain/prices.ts'
import { money } from '../../../src/http/views.ts'
import { type MarginLine, marginLines, percentText } from '../../../src/money/pricing/price-lines.ts'
import { addPricesChange } from './change.ts'
import { addPricesImport } from './import.ts'

export function addPricesCommands(program: Command, deps: CliDeps): void {
  const prices = program
    .command('prices')
    .description('List prices, costs and margins; import a price list; change prices by per cent.')
  addPricesImport(prices, deps)
  addPricesChange(prices, deps)
  addExample(prices.command('list'), 'prices list')
    .summary('List prices beside costs, with the margin.')
    .description(
      "List what callers pay for each model beside each route's `cost`, and the margin, in USD and as a part of the price. " +
        'SOURCE says where the price comes from: a markup on the cost, or the ' +
        `provider's list price of ${PRICES_AS_OF}.`,
    )
    .option('--group <name>', 'at the prices of this price group')
    .action(async ({ group = null }: { group?: string | null }, command: Command) => {
      const { folder, answer, remark, warn, tableOf } = contextOf(command, deps)
      const { catalogue, warning_lines } = await requireCatalogue(folder)
      checkPriceGroup(catalogue, group)
      // Warns of routes to providers that are disabled here: the list omits them.
      for (const line of warning_lines) warn(line)
      const models = [...modelsFor(catalogue, group).values()]
      const compared = models.flatMap((model) => compare(model, catalogue))
      const main = compared.filter(isMain)
      answer(
        { models: models.map((model) => modelView(model, catalogue)) },
        tableOf(COLUMNS, main, 'The catalogue has no models.'),
      )
      if (main.length < compared.length) remark('--json also has caches, tiers and other rates.')
    })
}

/** An amount of a model's price, beside a route's cost of the same. */
interface ComparedRate {
  readonly model: Model
  readonly route: Route
  /** The origin of the price, if the catalogue reveals it; null for a price written by hand. */
  readonly source: string | null
  readonly line: MarginLine
}

function compare(model: Model, catalogue: Catalogue): ComparedRate[] {
  return model.routes.flatMap((route) => {
    const source = sourceOf(model, route, catalogue)
    return marginLines(model.price, route.cost).map((line) => ({ model, route, source, line }))
  })
}

/** Whether a rate is in the table: rates of all calls that are input or output (not of embeddings), or are not by token. */
const isMain = ({ model, line: { name, of, per } }: ComparedRate): boolean =>
  of === '' &&
  (per !== 'million tokens' || name === 'input' || (name === 'output' && model.kind !== 'embedding'))

const COLUMNS: Column<ComparedRate>[] = [
  { head: 'MODEL', text: ({ model }) => model.id, elastic: true },
  { head: 'PROVIDER', text: providerName, elastic: true },
  { head: 'RATE', text: ({ line }) => line.name, narrow: ({ line }) => SHORT_NAMES[line.name] ?? line.name },
  { head: 'PRICE', text: ({ line }) => formatUsd(line.price_nanos), right: true },
  {
    head: 'COST',
    text: ({ line: { cost_nanos } }) => (cost_nanos === null ? '-' : formatUsd(cost_nanos)),
    right: true,
  },
  {
    head: 'MARGIN',
    text: ({ line }) => marginText(line),
    narrow: ({ line }) => percentText(line),
    right: true,
  },
  { head: 'SOURCE', text: ({ source }) => source ?? '-', narrow: ({ source }) => shortSource(source) },
]

/** Adds the provider's id of the model if several routes go to the provider. */
function providerName({ model, route: { provider, model: upstream } }: ComparedRate): string {
  const is_alone = model.routes.every((other) => other.provider !== provider || other.model === upstream)
  return is_alone ? provider : `${provider}:${upstream}`
}

/** Abbreviations for a narrow terminal. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  per_million_characters: 'M characters',
  per_thousand_searches: 'K searches',
}

const shortSource = (source: string | null): string =>
  source?.replace('cost + ', '+ ').replace(/,.*/, '') ?? '-'

/** "0.05, 20 %"; "-" for an unknown cost. */
const marginText = (line: MarginLine): string =>
  line.cost_nanos === null ? '-' : `${formatUsd(line.price_nanos - line.cost_nanos)}, ${percentText(line)}`

function sourceOf({ price }: Model, route: Route, { providers }: Catalogue): string | null {
  const markup = route.cost && commonMarkup(marginLines(price, route.cost))
  if (markup !== undefined) return `cost + ${markup} %`
  const provider = providers.get(route.provider)
  return provider && isListed(price, provider, route.model) ? `list, ${PRICES_AS_OF}` : null
}

/** Returns the markup in per cent that all amounts share: at most two decimals, since a person chose it. */
function commonMarkup(lines: readonly MarginLine[]): string | undefined {
  const known = lines.flatMap(({ price_nanos, cost_nanos }) =>
    cost_nanos ? [{ price_nanos, cost_nanos }] : [],
  )
  const [first] = known.toSorted((one, other) => other.cost_nanos - one.cost_nanos)
  if (!first || first.price_nanos < first.cost_nanos) return undefined
  const hundredths = Math.round(((first.price_nanos - first.cost_nanos) / first.cost_nanos) * 10_000)
  const percent = String(hundredths / 100)
  const factor = markupFactor(percent)
  // Each amount was rounded up separately, and a derived rate twice.
  const fits = ({ price_nanos, cost_nanos }: { price_nanos: number; cost_nanos: number }) =>
    factor !== undefined && Math.abs(price_nanos - timesRoundingUp(cost_nanos, factor)) <= 2
  return known.every(fits) ? percent : undefined
}

/** Whether a price equals the provider's list price. */
function isListed(price: Price, provider: Provider, model: string): boolean {
  const listed = listedPrice(provider, model)
  if (!listed || price.unit !== 'token' || price.tiers.length > 1) return false
  const { input_tokens, output_tokens, cache_read_tokens } = price.tiers[0].rates
  const cache_read = listed.cache_read ?? formatUsd(cache_read_tokens)
  return (
    input_tokens === parseUsd(listed.input) &&
    output_tokens === parseUsd(listed.output) &&
    cache_read_tokens === parseUsd(cache_read)
  )
}

/** A model with all amounts, as `--json` prints it. */
const modelView = (model: Model, catalogue: Catalogue) => ({
  id: model.id,
  kind: model.kind,
  routes: model.routes.map((route) => ({
    provider: route.provider,
    model: route.model,
    source: sourceOf(model, route, catalogue),
    rates: marginLines(model.price, route.cost).map((line) => ({
      rate: line.name,
      of: line.of,
      per: line.per,
      ...money('price', line.price_nanos),
      ...money('cost', line.cost_nanos),
      ...money('margin', line.cost_nanos === null ? null : line.price_nanos - line.cost_nanos),
      margin_percent: line.cost_nanos === null ? null : marginPercent(line.price_nanos, line.cost_nanos),
    })),
  })),
})
