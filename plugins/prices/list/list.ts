// The reading of a price list: LiteLLM's (model_prices_and_context_window.json), an object of models by their names, or OpenRouter's own.
import { invalidRequest } from '../../../src/domain/errors.ts'
import type { ListEntry } from './entry.ts'
import { openrouterEntries } from './openrouter.ts'

export interface PriceList {
  readonly entries: readonly ListEntry[]
  /** Names of what is no model, such as the list's own description of its fields. */
  readonly skipped: readonly string[]
  /** Names that occur twice, of which the last was taken: `model`, or `model: field`. */
  readonly duplicates: readonly string[]
}

/** It describes the fields, with words where models have numbers. */
const DESCRIPTION = 'sample_spec'

/**
 * Reads the text of a list.
 *
 * @throws GatewayError invalid_request for what is no such list
 */
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
    return JSON.parse(text, sourceOfNumbers)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw notAList(`it is not JSON: ${thrown.message}`)
    // The stack is full.
    if (thrown instanceof RangeError) throw notAList('it is nested too deep')
    throw thrown
  }
}

/** A number as it is written: as a float it could have lost digits. `context` is ECMAScript's JSON.parse source text access. */
const sourceOfNumbers = (_key: string, value: unknown, context?: { source?: string }): unknown =>
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

/** Strings and signs of a text that is JSON; numbers and words do not matter here. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g
/** Of the list itself, and of its models: what is deeper is no price. */
const MAX_DEPTH = 2

/**
 * @param json a text that JSON.parse takes
 * @returns each name once, as `model`, or `model: field`, in the order of the text
 */
export function duplicatesIn(json: string): string[] {
  const found = new Set<string>()
  /** The names of the objects around the place; null for a list. */
  const around: (Set<string> | null)[] = []
  let model = ''
  let is_name = false
  for (const [token] of json.matchAll(TOKENS)) {
    const names = around.at(-1)
    if (token === '{' || token === '[') around.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') around.pop()
    else if (token !== ',' && is_name && names && around.length <= MAX_DEPTH) {
      const name: string = JSON.parse(token)
      if (names.has(name)) found.add(around.length === 1 ? name : `${model}: ${name}`)
      names.add(name)
      if (around.length === 1) model = name
    }
    is_name = (token === '{' || token === ',') && around.at(-1) !== null
  }
  return [...found]
}
