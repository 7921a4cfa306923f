// The part of generationConfig that decides the price: how long an answer may be, how many candidates, how much thinking.
import { hasItems, isObject, type JsonObject, refusal } from '../wire/json.ts'
import { type Found, find, join } from './spellings.ts'

interface GenerationLimits {
  readonly max_output_tokens: number | undefined
  readonly candidates: number
  /** A schema for the answer: the model reads it, so it counts as input. */
  readonly schema: Found | undefined
  readonly stops: boolean
}

const NO_LIMITS: GenerationLimits = {
  max_output_tokens: undefined,
  candidates: 1,
  schema: undefined,
  stops: false,
}

/** generationConfig in either spelling; undefined if absent. */
export function findConfig(body: JsonObject): { name: string; value: JsonObject } | undefined {
  const found = find(body, 'generationConfig', 'generation_config', '')
  if (found === undefined) return undefined
  if (!isObject(found.value)) throw refusal(found.name, 'must be an object.')
  return { name: found.name, value: found.value }
}

/**
 * Reads the limits that a quote needs.
 * @throws GatewayError invalid_request for a limit that is no positive integer, or a thinking budget below -1
 */
export function readLimits(body: JsonObject): GenerationLimits {
  const config = findConfig(body)
  if (config === undefined) return NO_LIMITS
  const { name: owner, value } = config
  checkThinking(value, owner)
  return {
    max_output_tokens: integer(find(value, 'maxOutputTokens', 'max_output_tokens', owner), owner, 1),
    candidates: integer(find(value, 'candidateCount', 'candidate_count', owner), owner, 1) ?? 1,
    schema:
      find(value, 'responseSchema', 'response_schema', owner) ??
      find(value, 'responseJsonSchema', 'response_json_schema', owner),
    stops: hasItems(find(value, 'stopSequences', 'stop_sequences', owner)?.value),
  }
}

function checkThinking(config: JsonObject, owner: string): void {
  const found = find(config, 'thinkingConfig', 'thinking_config', owner)
  if (found === undefined) return
  const path = join(owner, found.name)
  if (!isObject(found.value)) throw refusal(path, 'must be an object.')
  integer(find(found.value, 'thinkingBudget', 'thinking_budget', path), path, -1)
}

function integer(found: Found | undefined, owner: string, minimum: number): number | undefined {
  if (found === undefined) return undefined
  const { name, value } = found
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < minimum)
    throw refusal(join(owner, name), `must be a whole number, ${minimum} or more.`)
  return value
}
