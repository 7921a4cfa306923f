// The mapping between efforts and budgets of thinking tokens, for protocols that have only one of the two.
import type { Effort, Thinking } from './canonical/fields.ts'

/**
 * Tokens by effort, as Google's OpenAI-compatible endpoint maps them; above `high`, the most that any model accepts. `max_share` is
 * the largest share of the output limit, so that room is left for the answer:
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#reasoning-effort-level
 */
const BUDGETS: Readonly<Record<Effort, { tokens: number; max_share: number }>> = {
  minimal: { tokens: 1_024, max_share: 0.1 },
  low: { tokens: 1_024, max_share: 0.2 },
  medium: { tokens: 8_192, max_share: 0.5 },
  high: { tokens: 24_576, max_share: 0.8 },
  xhigh: { tokens: 32_768, max_share: 0.95 },
  max: { tokens: 32_768, max_share: 0.95 },
}

/** The smallest budget that Claude accepts. For an effort, no protocol requests less. */
export const MIN_BUDGET_TOKENS = 1_024
/** Tokens to leave for the answer beside the thinking of an effort. */
const MIN_ANSWER_TOKENS = 1_024

const BY_RISING_BUDGET: readonly Effort[] = ['low', 'medium', 'high']

/**
 * The thinking tokens for an effort, within the output limit; a budget that the caller chose stays.
 * @param max_output_tokens the limit, which includes thinking; undefined if none is set
 * @returns undefined if the model decides; 0 if the limit has no room for thinking and answer
 */
export function budgetWithin(thinking: Thinking, max_output_tokens: number | undefined): number | undefined {
  if (thinking.mode === 'off') return 0
  if (thinking.mode === 'auto') return undefined
  if (thinking.mode === 'budget') return thinking.budget_tokens
  const { tokens, max_share } = BUDGETS[thinking.effort]
  return max_output_tokens === undefined ? tokens : withinLimit(tokens, max_share, max_output_tokens)
}

/** The wanted tokens, at most the share of the limit, with room left for an answer; 0 if the limit has no room for both. */
export function withinLimit(wanted_tokens: number, share: number, max_output_tokens: number): number {
  const room_tokens = max_output_tokens - MIN_ANSWER_TOKENS
  if (room_tokens < MIN_BUDGET_TOKENS) return 0
  const shared_tokens = Math.max(Math.floor(max_output_tokens * share), MIN_BUDGET_TOKENS)
  return Math.min(wanted_tokens, shared_tokens, room_tokens)
}

/**
 * The level nearest to the requested one; the higher of two equally near ones.
 * @param rising all levels @param levels the accepted ones, rising
 * @returns undefined if none is accepted
 */
export function nearestLevel<L extends string>(
  rising: readonly L[],
  levels: readonly L[],
  requested: L,
): L | undefined {
  const distance = (level: L) => Math.abs(rising.indexOf(level) - rising.indexOf(requested))
  return levels.reduce<L | undefined>(
    (nearest, level) => (nearest && distance(nearest) < distance(level) ? nearest : level),
    undefined,
  )
}

/** The lowest effort whose budget covers the request, at most `high`; undefined if the model decides, or thinking is off. */
export function effortOf(thinking: Thinking): Effort | undefined {
  if (thinking.mode === 'effort') return thinking.effort
  if (thinking.mode !== 'budget') return undefined
  return BY_RISING_BUDGET.find((effort) => BUDGETS[effort].tokens >= thinking.budget_tokens) ?? 'high'
}
