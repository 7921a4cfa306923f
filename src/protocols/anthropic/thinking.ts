// Owns how much a Claude model is told to think, and when it cannot be told to.
// https://platform.claude.com/docs/en/build-with-claude/extended-thinking
import type { ConversationRequest, Effort, Thinking, Turn } from '../canonical.ts'
import { budgetOf, effortOf } from '../thinking.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import type { Generation } from './model.ts'

export interface EncodedThinking {
  readonly thinking: JsonObject | undefined
  readonly effort: string | undefined
  /** The model will think. */
  readonly thinks: boolean
}

/** The least that the vendor takes. */
const MIN_BUDGET_TOKENS = 1_024
/** What a budget is where the model was to decide for itself, and its generation cannot. */
const DEFAULT_BUDGET_TOKENS = 8_192

const NOT_SAID: EncodedThinking = { thinking: undefined, effort: undefined, thinks: false }

const OFF: Readonly<Record<Generation['off'], EncodedThinking>> = {
  disabled: { ...NOT_SAID, thinking: { type: 'disabled' } },
  between_tools: { ...NOT_SAID, thinking: { type: 'between_tools' } },
  nothing: NOT_SAID,
  least: { ...NOT_SAID, effort: 'low' },
}

/** The fields that say it. Not said where the vendor would refuse the request for it. */
export function encodeThinking(
  request: ConversationRequest,
  generation: Generation,
  max_tokens: number,
): EncodedThinking {
  const { thinking } = request
  if (!thinking) return NOT_SAID
  if (thinking.mode === 'off') return OFF[generation.off]
  if (forcesTool(request)) return NOT_SAID
  return generation.thinking === 'adaptive'
    ? adaptive(request, thinking, generation)
    : budgeted(request, thinking, max_tokens)
}

/** Said whenever the caller said it: the default differs between models. */
const displayOf = (shows_thinking: boolean | undefined): string | undefined =>
  shows_thinking === undefined ? undefined : shows_thinking ? 'summarized' : 'omitted'

/** A tool that must be called leaves no room for thinking: the vendor takes only one of the two. */
const forcesTool = ({ tool_choice, tools }: ConversationRequest): boolean =>
  tools.length > 0 && (tool_choice?.mode === 'any' || (tool_choice?.mode === 'named' && tool_choice.required))

/** The vendor's names of efforts: it has no `minimal`. */
const EFFORTS: Readonly<Record<Effort, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

function adaptive(
  { shows_thinking }: ConversationRequest,
  thinking: Thinking,
  { takes_display_and_high_efforts }: Generation,
): EncodedThinking {
  const effort = effortOf(thinking)
  const capped = effort && !takes_display_and_high_efforts && HIGHEST.has(effort) ? 'high' : effort
  return {
    thinking: compact({
      type: 'adaptive',
      display: takes_display_and_high_efforts ? displayOf(shows_thinking) : undefined,
    }),
    effort: capped && EFFORTS[capped],
    thinks: true,
  }
}

const HIGHEST: ReadonlySet<Effort> = new Set(['xhigh', 'max'])

function budgeted(request: ConversationRequest, thinking: Thinking, max_tokens: number): EncodedThinking {
  const wanted = Math.max(budgetOf(thinking) ?? DEFAULT_BUDGET_TOKENS, MIN_BUDGET_TOKENS)
  const budget_tokens = Math.min(wanted, max_tokens - 1)
  if (budget_tokens < MIN_BUDGET_TOKENS || lacksThinking(request.turns)) return NOT_SAID
  return {
    thinking: { type: 'enabled', budget_tokens },
    effort: undefined,
    thinks: true,
  }
}

/** A turn that called a tool and awaits its result must begin with Claude's own thinking, or it may not think now. */
function lacksThinking(turns: readonly Turn[]): boolean {
  const last = turns.findLast((turn) => turn.role === 'assistant')
  if (!last?.parts.some((part) => part.kind === 'tool_call')) return false
  return !last.parts.some(
    (part) =>
      (part.kind === 'thinking' || part.kind === 'redacted_thinking') &&
      part.signature?.issuer === 'anthropic',
  )
}
