// The provider's own charge for an answer, as reported in the usage of chat completions and responses.
import { countIn, isObject, type JsonObject, objectIn } from '../wire/json.ts'

const NANOS_PER_USD = 1_000_000_000
/** No call costs as much: more is a mistake, which would spoil every sum that it is part of. */
const MAX_COST_NANOS = 10_000 * NANOS_PER_USD
/** https://docs.x.ai/developers/cost-tracking: 10,000,000,000 ticks are a dollar. */
const TICKS_PER_NANO = 10

/**
 * xAI tells ticks, OpenRouter the dollars, Perplexity the dollars of each part and their sum. Where OpenRouter used the operator's
 * own key with a provider, that provider bills the operator beside it. DeepInfra calls it an estimate, and bills it.
 * https://openrouter.ai/docs/use-cases/usage-accounting, https://docs.perplexity.ai/changelog (July 2025),
 * https://deepinfra.com/docs/advanced/openai_api
 *
 * @returns nano-dollars; undefined if it says nothing, or nothing that can be an amount
 */
export function readCost(usage: JsonObject): number | undefined {
  const ticks = countIn(usage.cost_in_usd_ticks)
  if (ticks !== undefined) return believable(Math.round(ticks / TICKS_PER_NANO))
  const cost = usage.cost ?? usage.estimated_cost
  if (cost === undefined || cost === null) return undefined
  const reported = isObject(cost) ? cost.total_cost : cost
  const beside = usage.is_byok === true ? objectIn(usage.cost_details).upstream_inference_cost : 0
  if (typeof reported !== 'number' || typeof beside !== 'number') return undefined
  return believable(Math.round((reported + beside) * NANOS_PER_USD))
}

const believable = (nanos: number): number | undefined =>
  nanos >= 0 && nanos <= MAX_COST_NANOS ? nanos : undefined
