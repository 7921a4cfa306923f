// The fields that set how much a Claude model thinks, and the cases in which they may not be set.
// https://platform.claude.com/docs/en/build-with-claude/extended-thinking
import type { Effort, Thinking } from '../canonical/fields.ts'
import type { Turn } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { budgetWithin, effortOf, MIN_BUDGET_TOKENS, withinLimit } from '../thinking.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import type { Generation } from './model.ts'
import { isOwn } from './signature.ts'

export interface EncodedThinking {
  readonly thinking: JsonObject | undefined
  readonly effort: string | undefined
  readonly thinks: boolean
}

/** The budget for models that cannot choose it themselves, if the caller leaves it open. */
const DEFAULT_BUDGET_TOKENS = 8_192
const DEFAULT_SHARE = 0.5

const NOT_SET: EncodedThinking = { thinking: undefined, effort: undefined, thinks: false }

const OFF: Readonly<Record<Exclude<Generation['off'], 'least'>, EncodedThinking>> = {
  disabled: { ...NOT_SET, thinking: { type: 'disabled' } },
  between_tools: { ...NOT_SET, thinking: { type: 'between_tools' } },
  nothing: NOT_SET,
}

const switchedOff = ({ off, efforts }: Generation): EncodedThinking =>
  off === 'least' ? { ...NOT_SET, effort: efforts[0] } : OFF[off]

/** The fields for a request's thinking; not set if the provider would refuse the request because of them. */
export function encodeThinking(
  request: ConversationRequest,
  generation: Generation,
  max_tokens: number,
): EncodedThinking {
  const { thinking } = request
  if (!thinking) return NOT_SET
  if (thinking.mode === 'off') return switchedOff(generation)
  if (generation.takes_forced_tools && forcesTool(request)) return NOT_SET
  return generation.thinking === 'adaptive'
    ? adaptive(request, thinking, generation)
    : budgeted(request, thinking, max_tokens)
}

/**
 * Since 4.7, Claude hides its thinking by default, so the gateway requests a summary for callers whose protocol has no such field:
 * https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-7#thinking-content-omitted-by-default
 */
const displayOf = (shows_thinking: boolean | undefined): string =>
  shows_thinking === false ? 'omitted' : 'summarized'

/** Whether the request forces a tool call. The provider refuses thinking together with that. */
const forcesTool = ({ tool_choice, tools }: ConversationRequest): boolean =>
  tools.length > 0 && (tool_choice?.mode === 'any' || (tool_choice?.mode === 'named' && tool_choice.required))

function adaptive(
  { shows_thinking }: ConversationRequest,
  thinking: Thinking,
  { takes_display, efforts }: Generation,
): EncodedThinking {
  const effort = effortOf(thinking)
  return {
    thinking: compact({
      type: 'adaptive',
      display: takes_display ? displayOf(shows_thinking) : undefined,
    }),
    effort: effort && nearestEffort(effort, efforts),
    thinks: true,
  }
}

const RISING: readonly Effort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The highest supported effort up to the requested one; the lowest if all are above it. */
const nearestEffort = (requested: Effort, efforts: readonly Effort[]): Effort | undefined =>
  efforts.findLast((effort) => RISING.indexOf(effort) <= RISING.indexOf(requested)) ?? efforts[0]

function budgeted(request: ConversationRequest, thinking: Thinking, max_tokens: number): EncodedThinking {
  const requested =
    budgetWithin(thinking, max_tokens) ?? withinLimit(DEFAULT_BUDGET_TOKENS, DEFAULT_SHARE, max_tokens)
  const desired = thinking.mode === 'budget' ? Math.max(requested, MIN_BUDGET_TOKENS) : requested
  const budget_tokens = Math.min(desired, max_tokens - 1)
  if (budget_tokens < MIN_BUDGET_TOKENS || lacksThinking(request.turns)) return NOT_SET
  return {
    thinking: { type: 'enabled', budget_tokens },
    effort: undefined,
    thinks: true,
  }
}

/**
 * Whether the last turn called tools without thinking of Claude's own: the model may then not think before it answers the tools'
 * results.
 */
function lacksThinking(turns: readonly Turn[]): boolean {
  const last = turns.findLast((turn) => turn.role === 'assistant')
  if (!last?.parts.some((part) => part.kind === 'tool_call')) return false
  return !last.parts.some(
    (part) =>
      (part.kind === 'thinking' || part.kind === 'redacted_thinking') &&
      part.signature !== undefined &&
      isOwn(part.signature),
  )
}
