// The reader of price lists: LiteLLM's (model_prices_and_context_window.json), an object of models by name, or OpenRouter's.
import { invalidRequest } from '../../../src/domain/errors.ts'
import type { ListEntry } from './entry.ts'
import { openrouterEntries } from './openrouter.ts'

export interface PriceList {
  readonly entries: readonly ListEntry[]
  /** Names of entries that are not models, such as the list's description of its fields. */
  readonly skipped: readonly string[]
  /** Names that occur twice, `model` or `model: field`. The last occurrence is used. */
  readonly duplicates: readonly string[]
}

/** The entry that describes the fields, with words instead of numbers. */
const DESCRIPTION = 'sample_spec'

/** Reads the text of a list. @throws GatewayError invalid_request for any other text */
export function readPriceList(text: string): PriceList {
  const document = parse(text)
  if (!isObject(document))
    throw notAList('it is not an object of models by their names, such as {"gpt-5": {…}}')
  const { entries, skipped } = openrouterEntries(document) ?? litellmEntries(document)
  if (entries.length === 0) throw notAList('it has no models with a litellm_provider and a mode')
  return { entries, skipped, duplicates: duplicatesIn(text) }
}

function litellmEntries(document: Record<string, unknown>): Pick<PriceList, 'entries' | 'skipped'> {
  const entries: ListEntry[] = []
  const skipped: string[] = []
  for (const [id, value] of Object.entries(document)) {
    const entry = id === DESCRIPTION ? undefined : entryOf(id, value)
    if (entry) entries.push(entry)
    else skipped.push(id)
  }
  return { entries, skipped }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw notAList(`it is not JSON: ${thrown.message}`)
    // A RangeError means a stack overflow.
    if (thrown instanceof RangeError) throw notAList('it is nested too deep')
    throw thrown
  }
}

/** Keeps a number's digits as text: a float may lose some. `context` is ECMAScript's JSON.parse source text access. */
const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value

function entryOf(id: string, value: unknown): ListEntry | undefined {
  if (!isObject(value)) return undefined
  const { litellm_provider: provider, mode } = value
  if (typeof provider !== 'string' || typeof mode !== 'string') return undefined
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return { id, provider, mode, fields: new Map(fields) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const notAList = (why: string) =>
  invalidRequest(
    `The file is not a price list: ${why}. Download LiteLLM's model_prices_and_context_window.json, or OpenRouter's https://openrouter.ai/api/v1/models, and name the file.`,
  )

/** Strings and punctuation of JSON. Numbers, booleans and null do not matter here. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g
/** The depth of the list and of its models; deeper objects are not prices. */
const MAX_DEPTH = 2

/** @param json valid JSON @returns each duplicate name once, as `model` or `model: field`, in the order of the text */
export function duplicatesIn(json: string): string[] {
  const found = new Set<string>()
  /** Names in each enclosing object, outermost first; null for a list. */
  const enclosing: (Set<string> | null)[] = []
  let model = ''
  let is_name = false
  for (const [token] of json.matchAll(TOKENS)) {
    const names = enclosing.at(-1)
    if (token === '{' || token === '[') enclosing.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') enclosing.pop()
    else if (token !== ',' && is_name && names && enclosing.length <= MAX_DEPTH) {
      const name: string = JSON.parse(token)
      if (names.has(name)) found.add(enclosing.length === 1 ? name : `${model}: ${name}`)
      names.add(name)
      if (enclosing.length === 1) model = name
    }
    is_name = (token === '{' || token === ',') && enclosing.at(-1) !== null
  }
  return [...found]
}
