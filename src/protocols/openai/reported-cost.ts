// What a provider says that it took for an answer, in the usage of chat completions and responses.
import { countIn, isObject, type JsonObject, objectIn } from '../wire/json.ts'

const NANOS_PER_USD = 1_000_000_000
/** https://docs.x.ai/developers/cost-tracking: 10,000,000,000 ticks are a dollar. */
const TICKS_PER_NANO = 10

/**
 * xAI tells ticks, OpenRouter the dollars, Perplexity the dollars of each part and their sum. Where OpenRouter used the operator's
 * own key with a provider, that provider bills the operator beside it.
 * https://openrouter.ai/docs/use-cases/usage-accounting, https://docs.perplexity.ai/changelog (July 2025)
 *
 * @returns nano-dollars; undefined if it says nothing, or nothing that can be an amount
 */
export function readCost(usage: JsonObject): number | undefined {
  const ticks = countIn(usage.cost_in_usd_ticks)
  if (ticks !== undefined) return Math.round(ticks / TICKS_PER_NANO)
  const { cost } = usage
  if (cost === undefined || cost === null) return undefined
  const took = isObject(cost) ? cost.total_cost : cost
  const beside = usage.is_byok === true ? objectIn(usage.cost_details).upstream_inference_cost : 0
  return typeof took === 'number' && typeof beside === 'number' ? nanosOf(took + beside) : undefined
}

function nanosOf(usd: number): number | undefined {
  const nanos = Math.round(usd * NANOS_PER_USD)
  return Number.isSafeInteger(nanos) && nanos >= 0 ? nanos : undefined
}
