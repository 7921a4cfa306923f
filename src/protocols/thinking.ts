// The table between an effort and a budget of thinking tokens, for protocols that have only one of the two.
import type { Effort, Thinking } from './canonical/fields.ts'

/** Tokens by effort, as Google's OpenAI-compatible endpoint maps them; above `high`, the most that any model takes. */
const EFFORT_BUDGETS: Readonly<Record<Effort, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
}

const BY_RISING_BUDGET: readonly Effort[] = ['low', 'medium', 'high']

/** The thinking tokens to ask for; undefined if the model is to decide. */
export function budgetOf(thinking: Thinking): number | undefined {
  if (thinking.mode === 'off') return 0
  if (thinking.mode === 'auto') return undefined
  return thinking.mode === 'budget' ? thinking.budget_tokens : EFFORT_BUDGETS[thinking.effort]
}

/** The lowest effort whose budget covers what was asked; undefined if the model is to decide, or thinking is off. */
export function effortOf(thinking: Thinking): Effort | undefined {
  if (thinking.mode === 'effort') return thinking.effort
  if (thinking.mode !== 'budget') return undefined
  return BY_RISING_BUDGET.find((effort) => EFFORT_BUDGETS[effort] >= thinking.budget_tokens) ?? 'high'
}
