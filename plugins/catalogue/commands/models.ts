// `models`: lists models with prices and routes. For changes see change-models.ts.

import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import type { Column } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { inputsOf } from '../../../src/catalogue/takes.ts'
import { isServed, type Model } from '../../../src/domain/catalogue.ts'
import type { ExtraPrice } from '../../../src/domain/extras.ts'
import { shutdownDateOf } from '../../../src/domain/model-ends.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import type { Price, Tier } from '../../../src/domain/prices.ts'
import type { RateName } from '../../../src/domain/units.ts'
import { money } from '../../../src/http/views.ts'
import { addModelChanges } from './change-models.ts'

export function addModelsCommand(program: Command, deps: CliDeps): void {
  const command = addExample(program.command('models'), 'models --json')
    .summary('List the models and their prices.')
    .description(
      'List the models of the catalogue with their routes, and their prices in USD per million tokens, per image or per unit.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer, remark, tableOf } = contextOf(command, deps)
      const { catalogue } = await requireCatalogue(folder)
      const models = [...catalogue.models.values()]
      const columns = [
        ...COLUMNS,
        ...(models.some(hasExtras) ? [EXTRAS] : []),
        ...(models.some(hasShutdownDate) ? [SHUTDOWN_DATE] : []),
      ]
      answer({ models: models.map(modelView) }, tableOf(columns, models, 'The catalogue has no models.'))
      if (models.some(({ price }) => price.unit === 'token' && price.tiers.length > 1)) {
        remark('+: costs more for larger prompts; --json shows every tier.')
      }
    })
  addModelChanges(command, deps)
}

const COLUMNS: Column<Model>[] = [
  { head: 'MODEL', text: ({ id }) => id, elastic: true },
  { head: 'KIND', text: ({ kind }) => kind },
  { head: 'USABLE', text: usability },
  { head: 'INPUT', text: ({ price }) => tokenRate(price, 'input_tokens'), right: true },
  {
    head: 'OUTPUT',
    text: ({ kind, price }) => (kind === 'embedding' ? '-' : tokenRate(price, 'output_tokens')),
    right: true,
  },
  {
    head: 'UNITS',
    text: ({ price }) => unitText(price, RATE_WORDS),
    narrow: ({ price }) => unitText(price, SHORT_RATE_WORDS),
  },
  {
    head: 'ROUTES',
    text: ({ routes }) => routes.map(({ provider, model }) => `${provider}:${model}`).join(', '),
    spare: 1,
  },
]

/** Describes rates in other units than text tokens. */
function unitText(price: Price, words: RateWords): string {
  if (price.unit === 'image') return formatUsd(price.per_image_nanos) + words.per_image
  if (price.unit === 'token') return '-'
  if (price.unit === 'image_token') return formatUsd(price.rates.image_output) + words.image_output
  const texts = price.rates.flatMap(({ name, nanos }) =>
    name === 'input' || name === 'output' ? [] : [formatUsd(nanos) + words[name]],
  )
  return texts.join(', ') || '-'
}

type RateWords = Readonly<
  Record<Exclude<RateName, 'input' | 'output'> | 'per_image' | 'image_output', string>
>

const RATE_WORDS: RateWords = {
  per_image: ' per image',
  image_output: ' per million image tokens',
  per_million_characters: ' per million characters',
  per_minute: ' per minute',
  per_second: ' per second',
  per_search: ' per search',
  per_thousand_searches: ' per thousand searches',
  audio: ' per million audio tokens',
}

/** Abbreviations for a narrow terminal. */
const SHORT_RATE_WORDS: RateWords = {
  per_image: '/image',
  image_output: '/M image tokens',
  per_million_characters: '/M chars',
  per_minute: '/minute',
  per_second: '/second',
  per_search: '/search',
  per_thousand_searches: '/K searches',
  audio: '/M audio',
}

/** The column of extras, shown if any model has some. */
const EXTRAS: Column<Model> = {
  head: 'EXTRAS',
  text: (model) => (hasExtras(model) ? extrasOf(model).map(extraText).join(', ') : '-'),
  elastic: true,
}

/** The column of shutdown dates, shown if any model has one. */
const SHUTDOWN_DATE: Column<Model> = { head: 'ENDS', text: (model) => shutdownDateOf(model) ?? '-' }

const hasShutdownDate = (model: Model): boolean => shutdownDateOf(model) !== undefined

const extrasOf = ({ price }: Model) => (price.unit === 'token' ? [...(price.extras ?? [])] : [])
const hasExtras = (model: Model) => extrasOf(model).length > 0

const extraText = ([name, { per, nanos, max_units, always }]: readonly [string, ExtraPrice]): string => {
  if (nanos === 0) return `${name} free`
  const always_suffix = always && per !== 'request' ? ', always' : ''
  return `${name} ${formatUsd(nanos)} per ${per}${per === 'unit' ? `, at most ${max_units}` : ''}${always_suffix}`
}

function usability({ retired, unavailable }: Model): string {
  if (retired) return 'no: retired'
  return unavailable === undefined ? 'yes' : 'no: no key'
}

function tokenRate(price: Price, field: 'input_tokens' | 'output_tokens'): string {
  if (price.unit === 'unit') {
    const rate = price.rates.find(({ name }) => `${name}_tokens` === field)
    return rate ? formatUsd(rate.nanos) : '-'
  }
  if (price.unit === 'image_token') return field === 'input_tokens' ? formatUsd(price.rates.input) : '-'
  if (price.unit !== 'token') return '-'
  const [first, ...more] = price.tiers
  return formatUsd(first.rates[field]) + (more.length > 0 ? '+' : '')
}

/** A model as `--json` prints it. Rates are per million tokens. */
function modelView(model: Model) {
  return {
    id: model.id,
    display_name: model.display_name,
    kind: model.kind,
    usable: isServed(model),
    retired: model.retired,
    unavailable: model.unavailable ?? null,
    shutdown_date: shutdownDateOf(model) ?? null,
    takes: inputsOf(model) ?? null,
    context_tokens: model.kind === 'text' ? model.context : null,
    price: priceView(model.price),
    routes: model.routes.map(({ cost, ...route }) => (cost ? { ...route, cost: priceView(cost) } : route)),
  }
}

function priceView(price: Price) {
  if (price.unit === 'unit')
    return {
      unit: price.unit,
      rates: price.rates.map(({ name, nanos }) => ({ name, ...money('price', nanos) })),
    }
  if (price.unit === 'token')
    return {
      unit: price.unit,
      tiers: price.tiers.map(tierView),
      service_tiers: [...(price.service_tiers ?? [])].map(([name, { tiers }]) => ({
        name,
        tiers: tiers.map(tierView),
      })),
      extras: [...(price.extras ?? [])].map(([name, { per, nanos, max_units, always = false }]) => ({
        name,
        per,
        ...money('price', nanos),
        max_units,
        always,
      })),
    }
  if (price.unit === 'image_token') return { unit: price.unit, ...ratesView(price.rates) }
  return {
    unit: price.unit,
    ...money('per_image', price.per_image_nanos),
    variants: price.variants.map(({ size, quality, per_image_nanos }) => ({
      size: size ?? null,
      quality: quality ?? null,
      ...money('per_image', per_image_nanos),
    })),
    ...(price.partial_image_nanos === undefined ? {} : money('partial_image', price.partial_image_nanos)),
    ...(price.high_fidelity_nanos === undefined ? {} : money('high_fidelity', price.high_fidelity_nanos)),
  }
}

const tierView = ({ above_tokens, rates }: Tier) => ({ above_tokens, ...ratesView(rates) })

function ratesView(rates: Readonly<Record<string, Nanos>>) {
  const usd = Object.entries(rates).map(([field, nanos]) => [field, formatUsd(nanos)] as const)
  return { nanos_per_million: rates, usd_per_million: Object.fromEntries(usd) }
}
