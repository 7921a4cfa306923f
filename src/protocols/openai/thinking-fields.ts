// The amount and visibility of thinking, in fields that other servers added to chat completions.
// `reasoning`, `include_reasoning`: https://openrouter.ai/docs/use-cases/reasoning-tokens
// `thinking`: https://api-docs.deepseek.com/guides/thinking_mode, and Claude's, as LiteLLM takes it: https://docs.litellm.ai/docs/reasoning_content
// `enable_thinking`, `thinking_budget`: https://www.alibabacloud.com/help/en/model-studio/deep-thinking
// `chat_template_kwargs`: https://docs.vllm.ai/en/latest/features/reasoning_outputs.html
import type { Static } from '@sinclair/typebox'
import type { Thinking } from '../canonical/fields.ts'
import { Choice, Count, Fields, Flag, optional, type Present, readPresent } from '../forms.ts'
import { effortOf } from '../thinking.ts'
import { compact, type JsonObject } from '../wire/json.ts'

export const EFFORTS = {
  none: { mode: 'off' },
  minimal: { mode: 'effort', effort: 'minimal' },
  low: { mode: 'effort', effort: 'low' },
  medium: { mode: 'effort', effort: 'medium' },
  high: { mode: 'effort', effort: 'high' },
  xhigh: { mode: 'effort', effort: 'xhigh' },
  max: { mode: 'effort', effort: 'max' },
} as const satisfies Readonly<Record<string, Thinking>>

const Reasoning = Fields({
  effort: optional(Choice(EFFORTS)),
  max_tokens: optional(Count),
  exclude: optional(Flag),
  enabled: optional(Flag),
})
const ThinkingField = Fields({
  type: Choice({ enabled: true, adaptive: true, auto: true, disabled: false }),
  budget_tokens: optional(Count),
})
const TemplateFields = Fields({ enable_thinking: optional(Flag), thinking: optional(Flag) })

/** Fields of a chat completion request, beside `reasoning_effort`. */
export const THINKING_FORMS = {
  reasoning: optional(Reasoning),
  include_reasoning: optional(Flag),
  thinking: optional(ThinkingField),
  enable_thinking: optional(Flag),
  thinking_budget: optional(Count),
  chat_template_kwargs: optional(TemplateFields),
}
const ThinkingRequest = Fields({ reasoning_effort: optional(Choice(EFFORTS)), ...THINKING_FORMS })
const FIELDS = Object.keys(THINKING_FORMS)

const OFF: Thinking = { mode: 'off' }
const AUTO: Thinking = { mode: 'auto' }

interface RequestedThinking {
  readonly thinking: Thinking | undefined
  /** Undefined if the caller does not say. */
  readonly shows_thinking: boolean | undefined
}

/** Reads the thinking settings; the first field in this order counts. @throws GatewayError invalid_request that names a malformed field */
export function readThinking(body: JsonObject): RequestedThinking {
  const { reasoning_effort, include_reasoning, reasoning, ...others } = readPresent(ThinkingRequest, body, '')
  const named = reasoning_effort && EFFORTS[reasoning_effort]
  const other = fromOthers(others)
  const thinking = named ?? (reasoning && fromReasoning(reasoning)) ?? other
  if (reasoning?.exclude === true || include_reasoning === false) return { thinking, shows_thinking: false }
  const is_requested = reasoning !== undefined || include_reasoning === true || other !== undefined
  return { thinking, shows_thinking: is_requested && thinking?.mode !== 'off' ? true : undefined }
}

function fromReasoning({ effort, max_tokens, enabled }: Static<typeof Reasoning>): Thinking | undefined {
  if (enabled === false) return OFF
  if (effort) return EFFORTS[effort]
  if (typeof max_tokens === 'number') return fromBudget(max_tokens)
  return enabled === true ? AUTO : undefined
}

type Others = Omit<
  Present<Static<typeof ThinkingRequest>>,
  'reasoning_effort' | 'include_reasoning' | 'reasoning'
>

function fromOthers({
  thinking,
  enable_thinking,
  thinking_budget,
  chat_template_kwargs,
}: Others): Thinking | undefined {
  if (thinking) {
    if (thinking.type === 'disabled') return OFF
    return typeof thinking.budget_tokens === 'number' ? fromBudget(thinking.budget_tokens) : AUTO
  }
  const is_on = enable_thinking ?? chat_template_kwargs?.enable_thinking ?? chat_template_kwargs?.thinking
  if (is_on === false) return OFF
  if (typeof thinking_budget === 'number') return fromBudget(thinking_budget)
  return is_on === true ? AUTO : undefined
}

const fromBudget = (budget_tokens: number): Thinking =>
  budget_tokens === 0 ? OFF : { mode: 'budget', budget_tokens }

function hasOthers(body: JsonObject): boolean {
  for (const name of FIELDS) if (Object.hasOwn(body, name)) return true
  return false
}

/**
 * The equivalent effort of OpenAI's own protocols; undefined if the model decides, and for malformed fields: the provider checks requests
 * that pass through.
 */
export function equivalentEffort(body: JsonObject): string | undefined {
  if (!hasOthers(body)) return undefined
  try {
    const { thinking } = readThinking(body)
    return thinking?.mode === 'off' ? 'none' : thinking && effortOf(thinking)
  } catch {
    // The provider refuses them itself: it may know other values.
    return undefined
  }
}

/** Replaces these fields, which OpenAI's servers refuse, by OpenAI's own. */
export function withOwnEffort(body: JsonObject): JsonObject {
  if (!hasOthers(body)) return body
  const reasoning_effort = body.reasoning_effort ?? equivalentEffort(body)
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !FIELDS.includes(name)))
  return compact({ ...rest, reasoning_effort })
}
