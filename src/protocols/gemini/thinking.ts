// Owns how much a Gemini model is told to think, and whether it is to show it.
// https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/openai#thinking
import type { ConversationRequest, Effort, Thinking } from '../canonical.ts'
import { budgetOf, effortOf } from '../thinking.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import { generationOf } from './model.ts'

/** thinkingConfig; undefined where there is nothing to say, or the model does not think. */
export function encodeThinking(request: ConversationRequest, model: string): JsonObject | undefined {
  const form = generationOf(model).thinking
  if (form === 'none') return undefined
  const { thinking, shows_thinking } = request
  const config = compact({
    ...(thinking ? (form === 'budget' ? encodeBudget(thinking, model) : encodeLevel(thinking, model)) : {}),
    includeThoughts: shows_thinking,
  })
  return Object.keys(config).length > 0 ? config : undefined
}

const DYNAMIC = -1

/** The vendor's bounds for the models that think by a budget; the large one cannot be told not to think. */
function encodeBudget(thinking: Thinking, model: string): JsonObject {
  const { least, most } = model.includes('pro') ? { least: 128, most: 32_768 } : { least: 0, most: 24_576 }
  const budget = budgetOf(thinking)
  return { thinkingBudget: budget === undefined ? DYNAMIC : Math.min(Math.max(budget, least), most) }
}

const LEVELS: Readonly<Record<Effort, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

/** Nothing turns thinking off here: the least level is the nearest, and it is not taken by the large models. */
function encodeLevel(thinking: Thinking, model: string): JsonObject {
  const effort = thinking.mode === 'off' ? 'minimal' : effortOf(thinking)
  if (effort === undefined) return {}
  const level = LEVELS[effort]
  return { thinkingLevel: level === 'MINIMAL' && model.includes('pro') ? 'LOW' : level }
}
