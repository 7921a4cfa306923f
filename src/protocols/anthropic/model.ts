// The differences between generations of Claude models, decided by their names.
// https://platform.claude.com/docs/en/about-claude/models/migration-guide
import type { Effort } from '../canonical/fields.ts'
import { generationName, type NamedModel } from '../canonical/request.ts'

export interface Generation {
  /** `budget`: thinking takes budget_tokens. `adaptive`: it takes an effort, and a budget is refused or deprecated. */
  readonly thinking: 'budget' | 'adaptive'
  /** Whether a request may set both temperature and top_p, only one of them (since 4.1), or neither, nor top_k (since 4.7). */
  readonly sampling: 'both' | 'one' | 'none'
  /** The way to switch thinking off: by a type, by leaving the field out, or not at all; `least` then uses the lowest effort. */
  readonly off: 'disabled' | 'between_tools' | 'nothing' | 'least'
  /** The accepted efforts of adaptive thinking, rising. https://platform.claude.com/docs/en/build-with-claude/effort */
  readonly efforts: readonly Effort[]
  /** Whether requests may set the display of thinking, which came with 4.7. */
  readonly takes_display: boolean
  /** Whether the last message may be the model's own, for the model to continue. */
  readonly takes_prefill: boolean
  /** Whether a request may force a tool call. */
  readonly takes_forced_tools: boolean
  /**
   * Whether system messages may stand within the conversation.
   * https://github.com/langchain-ai/langchainjs/releases/tag/@langchain%2Fanthropic@1.5.13
   */
  readonly takes_late_system: boolean
  /**
   * Whether a schema may be enforced on an answer or a tool.
   * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
   */
  readonly takes_schemas: boolean
}

interface Row extends Generation {
  /** The first version that the row applies to, as major * 100 + minor. */
  readonly from: number
  /** The model family that the row applies to; undefined for all. */
  readonly family?: RegExp
}

const OLDEST: Generation = {
  thinking: 'budget',
  sampling: 'both',
  off: 'disabled',
  efforts: [],
  takes_display: false,
  takes_prefill: true,
  takes_forced_tools: true,
  takes_late_system: false,
  takes_schemas: false,
}

/** Models of other providers, whose names decide nothing. */
const OTHERS: Generation = { ...OLDEST, takes_schemas: true }

/** `max`, prefill and both ways of thinking: https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6 */
const SINCE_4_6 = {
  ...OLDEST,
  thinking: 'adaptive',
  sampling: 'one',
  efforts: ['low', 'medium', 'high', 'max'],
  takes_prefill: false,
  takes_schemas: true,
} as const satisfies Generation

const SINCE_4_7 = {
  ...SINCE_4_6,
  sampling: 'none',
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  takes_display: true,
} as const satisfies Generation

/** https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-8 */
const SINCE_4_8 = { ...SINCE_4_7, takes_late_system: true } as const satisfies Generation

/** https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5, which covers Fable 5.1, too. */
const NEWEST: Generation = { ...SINCE_4_8, off: 'least', takes_forced_tools: false }

/**
 * By falling version; the first row that matches a model applies. Details that the guides leave open follow package
 * @ai-sdk/anthropic 3.0, getModelCapabilities, and package litellm 1.109, model_prices_and_context_window_backup.json.
 */
const ROWS: readonly Row[] = [
  // https://platform.claude.com/docs/en/models/sonnet-5-5/overview
  { ...NEWEST, from: 505, family: /sonnet/, off: 'between_tools' },
  // https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide
  { ...SINCE_4_8, from: 505, family: /haiku/, off: 'disabled' },
  { ...NEWEST, from: 501 },
  // https://github.com/elgorro/aiquila/issues/410, https://github.com/ChatGPTBox-dev/chatGPTBox/pull/1026
  { ...SINCE_4_8, from: 500, family: /opus|sonnet/, off: 'disabled' },
  // https://docs.litellm.ai/blog/claude_fable_5
  { ...SINCE_4_8, from: 500, off: 'least' },
  { ...SINCE_4_8, from: 408, off: 'nothing' },
  { ...SINCE_4_7, from: 407, off: 'nothing' },
  { ...SINCE_4_6, from: 406 },
  { ...OLDEST, from: 401, sampling: 'one', takes_schemas: true },
]

/** `claude-3-7-sonnet-20250219`, `claude-opus-4-6`, `claude-sonnet-5`: a longer number is a date. */
const VERSION = /(?:^|\D)(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/
const DATE = /\d{3,}/g
/** `claude-mythos-preview`, `claude-opus-latest`. */
const UNVERSIONED = /claude-[a-z]/

/** The generation of a model, with the catalogue's efforts if it has any. */
export function generationFor(target: NamedModel): Generation {
  const generation = generationOf(generationName(target))
  const { efforts } = target
  return efforts ? { ...generation, efforts: efforts.filter((effort) => effort !== 'none') } : generation
}

/**
 * The generation of a model, by its name. A Claude model without a version counts as the newest. Models of other providers behind this
 * protocol get requests for the oldest, but may get schemas.
 */
export function generationOf(model: string): Generation {
  if (!model.includes('claude')) return OTHERS
  const [, major, minor] = VERSION.exec(model.replace(DATE, '')) ?? []
  if (major === undefined) return UNVERSIONED.test(model) ? NEWEST : OTHERS
  const version = Number(major) * 100 + Number(minor ?? 0)
  const fits = ({ from, family }: Row) => version >= from && (family === undefined || family.test(model))
  return ROWS.find(fits) ?? OLDEST
}
