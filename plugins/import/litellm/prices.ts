// The price of a deployment: from the configuration, or else from LiteLLM's public price list.
import {
  entryPrice,
  freePrice,
  isPrice,
  type Kind,
  kindOfMode,
  type ListEntry,
  matcherOf,
  readPriceList,
} from '../../prices/index.ts'
import type { Price } from './margins.ts'
import type { PlacedDeployment } from './providers.ts'
import { countOf, type Fields, textOf } from './values.ts'

/** Kind, cost and sizes of a deployment. */
export interface Priced {
  readonly kind: Kind
  /** Undefined without a price; `unpriced` has the reason. */
  readonly cost: Price | undefined
  readonly unpriced: string
  readonly context: number | undefined
  readonly max_output_tokens: number | undefined
  readonly notes: readonly string[]
}

export interface PriceBook {
  /** @returns the reason if Tollgate does not serve models of this mode */
  price(placed: PlacedDeployment): Priced | { readonly reason: string }
}

/**
 * @param list the text of model_prices_and_context_window.json; undefined: only the configuration has prices
 * @throws GatewayError invalid_request if the text is no price list
 */
export function openPriceBook(list: string | undefined): PriceBook {
  const read = list === undefined ? undefined : readPriceList(list)
  const entries = new Map((read?.entries ?? []).map((entry) => [entry.id, entry]))
  const matcher = read === undefined ? undefined : matcherOf(read, undefined)
  return {
    price(placed) {
      const listed = listNames(placed)
        .map((name) => entries.get(name))
        .find((entry) => entry !== undefined)
      const mode = textOf(placed.deployment.info.mode) ?? listed?.mode
      const kind =
        mode === undefined ? kindOfName(placed.address.generation ?? placed.address.model) : kindOfMode(mode)
      if (kind === undefined) return { reason: `Tollgate does not serve models of the mode "${mode}".` }
      const lines =
        kind === 'image' ? matcher?.imageLines(listedProvider(placed), placed.address.model).lines : undefined
      return { kind, ...costOf(placed, listed, kind, lines), ...sizesOf(placed, listed) }
    },
  }
}

/** Returns names in LiteLLM's order of lookup: of the base model if there is one; with the provider, then without. */
function listNames({
  deployment: { prefix, model, info, params },
  address,
}: PlacedDeployment): readonly string[] {
  const base_model = textOf(info.base_model) ?? textOf(params.base_model)
  const names = base_model === undefined ? [model, address.model] : [base_model]
  return names.flatMap((name) => [`${prefix}/${name}`, name])
}

const listedProvider = ({ provider, address }: PlacedDeployment) => ({ name: provider, ...address.fields })

/** Kinds by common parts of names, for models without a mode in the configuration and in the list. */
const KINDS_BY_NAME: readonly (readonly [name: RegExp, kind: Kind])[] = [
  [/rerank/i, 'rerank'],
  [/embed/i, 'embedding'],
  [/whisper|transcribe/i, 'transcription'],
  [/(?:^|[-/])tts(?:-|$)/i, 'speech'],
  [/dall-e|gpt-image|imagen|flux|stable-diffusion/i, 'image'],
  [/moderation/i, 'moderation'],
]

const kindOfName = (name: string): Kind =>
  KINDS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'text'

/** Reads a deployment's own prices: https://docs.litellm.ai/docs/proxy/custom_pricing. `litellm_params` override `model_info`. */
function customPrices(params: Fields, info: Fields): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({ ...info, ...params }).flatMap(([name, value]) => {
      const text = isPrice(name) ? textOf(value) : undefined
      return text === undefined ? [] : [[name, text] as const]
    }),
  )
}

type Cost = Pick<Priced, 'cost' | 'unpriced' | 'notes'>

function costOf(
  { deployment: { params, info, prefix, row } }: PlacedDeployment,
  listed: ListEntry | undefined,
  kind: Kind,
  lines: Parameters<typeof entryPrice>[2],
): Cost {
  const custom = customPrices(params, info)
  const invalid = [...custom].find(([, text]) => !/^\d+(?:\.\d*)?(?:[eE][+-]?\d{1,2})?$/.test(text))
  if (invalid)
    return { cost: undefined, unpriced: `Its ${invalid[0]} is not an amount in USD. Correct it.`, notes: [] }
  const amounts = [...custom].map(([, text]) => Number(text))
  if (amounts.length > 0 && amounts.every((amount) => amount === 0))
    return { cost: freePrice(kind), unpriced: '', notes: ['Free: the configuration says 0.'] }
  const missing = listed === undefined && kind === 'text' ? missingTokenPrices(custom) : []
  const fields = new Map([
    ...(listed?.fields ?? []),
    ...missing.map((name) => [name, '0'] as const),
    ...custom,
  ])
  const entry: ListEntry = { id: row, provider: prefix, mode: listed?.mode ?? '', fields }
  const found = entryPrice(entry, kind, custom.size === 0 ? lines : [])
  if (!found) {
    // OpenAI's moderations are free, and the list has them without a price.
    if (kind === 'moderation' && listed)
      return { cost: freePrice(kind), unpriced: '', notes: ['Free by the price list.'] }
    return { cost: undefined, unpriced: unpricedReason(custom, listed), notes: [] }
  }
  const unmapped = found.unmapped.filter((name) => custom.has(name))
  return {
    cost: found.price,
    unpriced: '',
    notes: [
      ...(unmapped.length === 0 ? [] : [`Not part of the price: ${unmapped.join(', ')}.`]),
      ...(missing.length === 0 ? [] : [`The configuration has no ${missing.join(', ')}: taken as 0.`]),
    ],
  }
}

const TOKEN_PRICES = ['input_cost_per_token', 'output_cost_per_token']

/** If a custom price omits one of these rates, LiteLLM charges 0 for it. */
const missingTokenPrices = (custom: ReadonlyMap<string, string>): readonly string[] =>
  TOKEN_PRICES.some((name) => custom.has(name)) ? TOKEN_PRICES.filter((name) => !custom.has(name)) : []

function unpricedReason(custom: ReadonlyMap<string, string>, listed: ListEntry | undefined): string {
  if (custom.size > 0)
    return `Tollgate has no such price: ${[...custom.keys()].join(', ')}. Write its prices by token.`
  const what = 'Write input_cost_per_token and output_cost_per_token into its model_info (0 for a free model)'
  if (listed) return `The price list has no price for it. ${what}.`
  return `It has no price. ${what}, or name a price list that has it by --prices.`
}

/** `max_tokens` is the older name of `max_output_tokens`: LiteLLM's model_prices_and_context_window.json, sample_spec. */
function sizesOf({ deployment: { info } }: PlacedDeployment, listed: ListEntry | undefined) {
  const sizeOf = (name: string) => countOf(info[name]) ?? countOf(listed?.fields.get(name))
  const context = sizeOf('max_input_tokens')
  const output = sizeOf('max_output_tokens') ?? sizeOf('max_tokens')
  const max_output_tokens = output === undefined ? undefined : Math.min(output, context ?? output)
  return { context, max_output_tokens }
}
