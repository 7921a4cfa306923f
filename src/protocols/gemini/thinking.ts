// The fields that tell a Gemini model how much to think, and whether to show it.
// https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/openai#thinking
import type { EffortName } from '../../domain/catalogue.ts'
import type { Effort, Thinking } from '../canonical/fields.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { budgetWithin, effortOf, nearestLevel } from '../thinking.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import type { Generation, Level, Thinks } from './model.ts'

/** thinkingConfig; undefined if nothing is set, or the model does not think. */
export function encodeThinking(
  request: ConversationRequest,
  { thinks }: Pick<Generation, 'thinks'>,
  efforts?: readonly EffortName[],
): JsonObject | undefined {
  if (thinks.by === 'nothing') return undefined
  const { thinking, shows_thinking, max_output_tokens } = request
  const config = compact({
    ...(thinking ? encodeRequested(thinking, withEfforts(thinks, efforts), max_output_tokens) : {}),
    includeThoughts: shows_thinking,
  })
  return Object.keys(config).length > 0 ? config : undefined
}

type Thinker = Exclude<Thinks, { by: 'nothing' }>

const encodeRequested = (
  thinking: Thinking,
  thinks: Thinker,
  max_output_tokens: number | undefined,
): JsonObject =>
  thinks.by === 'level'
    ? encodeLevel(thinking, thinks.levels)
    : { thinkingBudget: takenBudget(budgetWithin(thinking, max_output_tokens), thinks) }

const DYNAMIC = -1

/** Within the provider's bounds; where thinking cannot be switched off, the least. */
function takenBudget(
  budget: number | undefined,
  { min, max, takes_none }: Extract<Thinks, { by: 'budget' }>,
): number {
  if (budget === undefined) return DYNAMIC
  return budget === 0 && takes_none ? 0 : Math.min(Math.max(budget, min), max)
}

const LEVELS: Readonly<Record<Effort, Level>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}
/** The levels of the efforts that the catalogue says; a budget is none. */
function withEfforts(thinks: Thinker, efforts: readonly EffortName[] | undefined): Thinker {
  if (thinks.by !== 'level' || !efforts) return thinks
  const levels = efforts.flatMap((effort) => (effort === 'none' ? [] : LEVELS[effort]))
  return { by: 'level', levels: [...new Set(levels)] }
}

const RISING: readonly Level[] = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']

/** No level turns thinking off: the lowest one is the nearest. */
function encodeLevel(thinking: Thinking, levels: readonly Level[]): JsonObject {
  const effort = thinking.mode === 'off' ? 'minimal' : effortOf(thinking)
  return effort === undefined ? {} : compact({ thinkingLevel: nearestLevel(RISING, levels, LEVELS[effort]) })
}
