// The price of a model, calculated exactly from the ratios of one-api or new-api.
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import {
  decimalOf,
  type Fraction,
  fraction,
  inverse,
  isEqual,
  needsRounding,
  ONE,
  times,
  usdTextOf,
} from './fraction.ts'
import { DEFAULT_GROUP, groupRatioOf, type Settings } from './options.ts'
import type { ModelRatios, Program } from './ratios.ts'

type Price = { readonly [rate: string]: TomlValue }

interface Priced {
  readonly price: Price
  readonly notes: readonly string[]
}

export interface PriceContext {
  readonly program: Program
  readonly settings: Settings
}

const MILLION = fraction('1000000')
const THOUSAND = fraction('1000')

/** @returns the price, or the reason why the model has none */
export function priceOf(
  model: string,
  kind: string,
  ratios: ModelRatios,
  context: PriceContext,
): Priced | { readonly reason: string } {
  const { settings } = context
  if (settings.by_expression.has(model))
    return { reason: 'Its price is an expression. Add the model by hand, with its price.' }
  const group = groupRatioOf(settings, DEFAULT_GROUP)
  const rates = new Rates()
  const reason = ratios.per_call
    ? priceByCall(kind, model, times(ratios.per_call.ratio, group), rates)
    : priceByRatio(kind, model, ratios, rates, context)
  if (reason !== undefined) return { reason }
  if (rates.fault !== undefined) return { reason: rates.fault }
  const sources = ratios.per_call ? [ratios.per_call.note] : notesOf(kind, ratios)
  return {
    price: rates.price,
    notes: [
      ...sources.flatMap((note) => note ?? []),
      ...(isEqual(group, ONE) ? [] : [`with group ratio ${decimalOf(group)} of the group "default"`]),
      ...(rates.is_rounded ? ['rounded up to a nano-dollar a million tokens'] : []),
    ],
  }
}

const notesOf = (kind: string, { model, completion }: ModelRatios): (string | undefined)[] =>
  ['text', 'image', 'transcription'].includes(kind) ? [model?.note, completion.note] : [model?.note]

/** The rates of a price under construction, each rounded once. */
class Rates {
  readonly #rates: Record<string, TomlValue> = {}
  is_rounded = false
  fault: string | undefined

  get price(): Price {
    return this.#rates
  }

  text(usd: Fraction): string {
    const text = usdTextOf(usd)
    if (text === undefined || usd.numerator > usd.denominator * 1_000_000n)
      this.fault = 'Its price is above 1,000,000 USD. Correct its ratio in the source.'
    this.is_rounded ||= needsRounding(usd)
    return text ?? '0'
  }

  add(name: string, usd: Fraction): void {
    this.#rates[name] = this.text(usd)
  }

  addValue(name: string, value: TomlValue): void {
    this.#rates[name] = value
  }
}

const NO_PRICE_OF_A_CALL = (kind: string): string =>
  `It has a price per call, which Tollgate does not have for ${kind}. Add the model by hand, with its price.`

/** @returns the reason if the kind cannot have such a price */
function priceByCall(kind: string, model: string, usd: Fraction, rates: Rates): string | undefined {
  if (kind === 'text') {
    rates.add('input', fraction('0'))
    rates.add('output', fraction('0'))
    rates.addValue('extras', { request: { per_request: rates.text(usd) } })
    return undefined
  }
  if (kind === 'image') return void addImages(model, usd, rates)
  if (kind === 'rerank') return void rates.add('per_search', usd)
  return NO_PRICE_OF_A_CALL(kind === 'embedding' ? 'an embedding' : kind)
}

/** Price of a DALL-E image divided by that of a 1024x1024 one, by size and quality: new-api relay/relay-image.go. */
const DALL_E: readonly (readonly [size: string, quality: string | undefined, factor: string])[] = [
  ['1024x1792', 'hd', '3'],
  ['1792x1024', 'hd', '3'],
  ['1024x1024', 'hd', '2'],
  ['1024x1792', undefined, '2'],
  ['1792x1024', undefined, '2'],
  ['512x512', undefined, '0.45'],
  ['256x256', undefined, '0.4'],
]

/** The same factors in one-api: relay/billing/ratio/image.go and relay/controller/image.go. */
const ONE_API_DALL_E: Readonly<Record<string, typeof DALL_E>> = {
  'dall-e-2': [
    ['256x256', undefined, '1'],
    ['512x512', undefined, '1.125'],
    ['1024x1024', undefined, '1.25'],
  ],
  'dall-e-3': DALL_E.slice(0, 5),
}

function addImages(model: string, usd: Fraction, rates: Rates, sizes = DALL_E): void {
  rates.add('per_image', usd)
  if (!model.startsWith('dall-e')) return
  rates.addValue(
    'variants',
    sizes.map(([size, quality, factor]) => ({
      size,
      ...(quality === undefined ? {} : { quality }),
      per_image: rates.text(times(usd, fraction(factor))),
    })),
  )
}

/** @returns the reason if the model cannot have such a price */
function priceByRatio(
  kind: string,
  model: string,
  ratios: ModelRatios,
  rates: Rates,
  { program, settings }: PriceContext,
): string | undefined {
  if (!ratios.model) return NO_RATIO[program]
  const per_usd = inverse(settings.quota_per_usd) ?? ONE
  const token = times(ratios.model.ratio, groupRatioOf(settings, DEFAULT_GROUP), per_usd)
  const input = times(token, MILLION)
  const output = times(input, ratios.completion.ratio)
  switch (kind) {
    case 'text':
      return addText(input, output, ratios, rates)
    case 'embedding':
    case 'moderation':
    case 'rerank':
      return void rates.add('input', input)
    case 'image':
      return addImagesByRatio(model, token, { input, output }, ratios, rates, program)
    case 'speech':
      // A character counts as a token: new-api service/token_counter.go, one-api relay/controller/audio.go.
      if (/^tts-/.test(model)) return void rates.add('per_million_characters', input)
      rates.add('input', input)
      rates.add('output', times(input, ratios.audio, ratios.audio_completion))
      return undefined
    default:
      if (!/transcribe/.test(model)) return BY_DURATION
      rates.add('input', input)
      rates.add('audio', times(input, ratios.audio))
      rates.add('output', output)
      return undefined
  }
}

const NO_RATIO: Readonly<Record<Program, string>> = {
  'new-api':
    'It has no ratio and no price in the settings, so new-api refuses it, too. Add the model by hand, with its price.',
  'one-api':
    'It has no ratio in the settings or among the defaults (one-api charges 60 USD per million tokens for unknown models). Add the model by hand, with its price.',
}

const BY_DURATION =
  'Tollgate charges by the duration of the audio, the source by estimated tokens. Add the model by hand, with per_minute.'

/** The catalogue's default for a cache write. Its default for the one-hour cache is 1.6 times this. */
const DEFAULT_CACHE_WRITE = fraction('1.25')

function addText(input: Fraction, output: Fraction, ratios: ModelRatios, rates: Rates): undefined {
  rates.add('input', input)
  rates.add('output', output)
  rates.add('cache_read', times(input, ratios.cache))
  if (!isEqual(ratios.create_cache, DEFAULT_CACHE_WRITE)) {
    rates.add('cache_write_5m', times(input, ratios.create_cache))
    rates.add('cache_write_1h', times(input, ratios.create_cache_1h))
  }
  if (!isEqual(ratios.audio, ONE)) rates.add('audio', times(input, ratios.audio))
}

function addImagesByRatio(
  model: string,
  token: Fraction,
  { input, output }: { input: Fraction; output: Fraction },
  ratios: ModelRatios,
  rates: Rates,
  program: Program,
): string | undefined {
  if (/gpt-image|chatgpt-image|^gemini/.test(model)) {
    rates.add('input', input)
    if (!isEqual(ratios.image, ONE)) rates.add('image_input', times(input, ratios.image))
    rates.add('image_output', output)
    return undefined
  }
  const sizes = program === 'one-api' ? ONE_API_DALL_E[model] : undefined
  if (!sizes)
    return 'Its price is a ratio, but Tollgate charges by the image. Add the model by hand, with per_image.'
  return void addImages(model, times(token, THOUSAND), rates, sizes)
}
