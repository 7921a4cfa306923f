// OpenRouter's own list of models and prices, converted to entries of a price list. LiteLLM's list has had no OpenRouter models since 2026.
// https://openrouter.ai/api/v1/models; the fields: @openrouter/sdk 1.x, `PublicPricing` and `PricingOverride`.
import type { ListEntry } from './entry.ts'

const PROVIDER = 'openrouter'

/** LiteLLM's names for OpenRouter's prices; both are in USD per token. */
const FIELDS: Readonly<Record<string, string>> = {
  prompt: 'input_cost_per_token',
  completion: 'output_cost_per_token',
  internal_reasoning: 'output_cost_per_reasoning_token',
  input_cache_read: 'cache_read_input_token_cost',
  input_cache_write: 'cache_creation_input_token_cost',
  input_cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
  audio: 'input_cost_per_audio_token',
}
/** The condition of an override: prompts of more tokens than this. */
const ABOVE = 'min_prompt_tokens'
const TOKENS_OF_NAME = 1_000

type Fields = Readonly<Record<string, unknown>>

/** @returns undefined for another document */
export function openrouterEntries(document: Fields): { entries: ListEntry[]; skipped: string[] } | undefined {
  const { data } = document
  if (!Array.isArray(data)) return undefined
  const entries: ListEntry[] = []
  const skipped: string[] = []
  for (const model of data) {
    const { id, pricing } = fieldsOf(model)
    if (typeof id !== 'string') continue
    const fields = isObject(pricing) ? pricesOf(pricing) : undefined
    if (fields) entries.push(entryOf(id, fieldsOf(model), fields))
    else skipped.push(id)
  }
  return { entries, skipped }
}

function entryOf(
  id: string,
  { architecture, expiration_date }: Fields,
  fields: Map<string, unknown>,
): ListEntry {
  const { output_modalities } = fieldsOf(architecture)
  const embeds = Array.isArray(output_modalities) && output_modalities.includes('embeddings')
  if (typeof expiration_date === 'string') fields.set('deprecation_date', expiration_date)
  return { id: `${PROVIDER}/${id}`, provider: PROVIDER, mode: embeds ? 'embedding' : 'chat', fields }
}

/** @returns undefined for a router: its prices are -1, since it charges those of the model it chooses */
function pricesOf(pricing: Fields): Map<string, unknown> | undefined {
  const fields = new Map<string, unknown>()
  for (const [name, value] of Object.entries(pricing)) {
    if (name === 'overrides' || isZeroOrEmpty(value)) continue
    if (String(value).startsWith('-')) return undefined
    // The import reports fields without a place in a price as not used.
    fields.set(FIELDS[name] ?? `pricing.${name}`, value)
  }
  for (const needed of ['prompt', 'completion']) {
    const field = FIELDS[needed]
    if (field !== undefined && pricing[needed] !== undefined) fields.set(field, pricing[needed])
  }
  const overrides: unknown[] = Array.isArray(pricing.overrides) ? pricing.overrides : []
  for (const override of overrides) addOverride(fields, fieldsOf(override))
  return fields
}

/** If several overrides have the same price, the last one counts. The catalogue has no prices by the hour. */
function addOverride(fields: Map<string, unknown>, override: Fields): void {
  const { [ABOVE]: above, ...prices } = override
  const thousands = Math.floor(Number(above) / TOKENS_OF_NAME)
  const is_by_hour = Object.keys(prices).some((name) => name.startsWith('utc_'))
  for (const [name, value] of Object.entries(prices)) {
    const field = FIELDS[name]
    if (is_by_hour || !(thousands > 0) || field === undefined) fields.set(`pricing.overrides.${name}`, value)
    else fields.set(`${field}_above_${thousands}k_tokens`, value)
  }
}

const isZeroOrEmpty = (value: unknown): boolean =>
  value === null || value === undefined || Number(value) === 0

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
