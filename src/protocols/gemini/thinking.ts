// The fields that tell a Gemini model how much to think, and whether to show it.
// https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/openai#thinking
import type { Effort, Thinking } from '../canonical/fields.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { budgetWithin, effortOf } from '../thinking.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import { generationOf } from './model.ts'

/** thinkingConfig; undefined if nothing is set, or the model does not think. */
export function encodeThinking(request: ConversationRequest, model: string): JsonObject | undefined {
  const form = generationOf(model).thinking
  if (form === 'none') return undefined
  const { thinking, shows_thinking, max_output_tokens } = request
  const encode = form === 'budget' ? encodeBudget : encodeLevel
  const config = compact({
    ...(thinking ? encode(thinking, model, max_output_tokens) : {}),
    includeThoughts: shows_thinking,
  })
  return Object.keys(config).length > 0 ? config : undefined
}

const DYNAMIC = -1

/** The provider's bounds for models that think by a budget; the large one cannot be told not to think. */
function encodeBudget(thinking: Thinking, model: string, max_output_tokens: number | undefined): JsonObject {
  const { min, max } = model.includes('pro') ? { min: 128, max: 32_768 } : { min: 0, max: 24_576 }
  const budget = budgetWithin(thinking, max_output_tokens)
  return { thinkingBudget: budget === undefined ? DYNAMIC : Math.min(Math.max(budget, min), max) }
}

const LEVELS: Readonly<Record<Effort, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

/** No level turns thinking off: the lowest one is the nearest, and the large models do not take it. */
function encodeLevel(thinking: Thinking, model: string): JsonObject {
  const effort = thinking.mode === 'off' ? 'minimal' : effortOf(thinking)
  if (effort === undefined) return {}
  const level = LEVELS[effort]
  return { thinkingLevel: level === 'MINIMAL' && model.includes('pro') ? 'LOW' : level }
}
