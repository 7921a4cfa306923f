// The differences between the models behind chat completions, as far as their names tell them.
import type { Effort } from '../canonical/fields.ts'

export interface Generation {
  /** OpenAI's reasoning models refuse `max_tokens`; servers such as Ollama know only that. */
  readonly limit_field: 'max_completion_tokens' | 'max_tokens'
  /** Whether temperature, top_p and the penalties are taken. */
  readonly takes_sampling: boolean
  /** The values of reasoning_effort that are taken, rising; none where the field is refused. */
  readonly efforts: readonly (Effort | 'none')[]
  /** The effort where a request says none. */
  readonly default_effort: Effort | 'none'
  /**
   * What its chat completions lack, which responses has: the reasoning of its answers, in the form that is sent back; that,
   * and reasoning where tools are offered; or the model altogether.
   */
  readonly chat_lacks: 'nothing' | 'reasoning' | 'reasoning_with_tools' | 'model'
  /** The model is one of Gemini's behind Google's OpenAI-compatible endpoint, which takes signatures back. */
  readonly takes_signatures: boolean
}

interface Row extends Generation {
  readonly names: RegExp
}

const ALL_EFFORTS: readonly (Effort | 'none')[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

const REASONING = {
  limit_field: 'max_completion_tokens',
  takes_sampling: false,
  takes_signatures: false,
  default_effort: 'medium',
} as const

/**
 * OpenAI's own models, under their own names or behind a router (`openai/gpt-5`); the first row that fits a name holds.
 * https://platform.openai.com/docs/api-reference/chat/create, https://platform.openai.com/docs/guides/reasoning
 * What chat completions lack: https://github.com/CopilotC-Nvim/CopilotChat.nvim/issues/1442 (codex),
 * https://github.com/HeyPuter/puter/issues/1303 (pro), https://github.com/livekit/agents/pull/5088 (5.2),
 * https://github.com/openai/openai-openapi/issues/541 (5.4), https://github.com/jeffdafoe/llm-memory-api/pull/178 (5.5),
 * https://github.com/danny-avila/LibreChat/issues/14355 (5.6).
 */
const ROWS: readonly Row[] = [
  {
    ...REASONING,
    names: /(?:^|\/)(?:o\d|gpt-5)-pro|(?:^|\/)o\d-[\w-]*deep-research/,
    efforts: ['low', 'medium', 'high'],
    chat_lacks: 'model',
  },
  { ...REASONING, names: /(?:^|\/)o\d/, efforts: ['low', 'medium', 'high'], chat_lacks: 'reasoning' },
  {
    ...REASONING,
    names: /(?:^|\/)(?:gpt-[\d.]+-codex|codex-)/,
    efforts: ['low', 'medium', 'high'],
    chat_lacks: 'model',
  },
  {
    ...REASONING,
    names: /(?:^|\/)gpt-[\d.]+-chat/,
    takes_sampling: true,
    efforts: ['medium'],
    chat_lacks: 'nothing',
  },
  {
    ...REASONING,
    names: /(?:^|\/)gpt-5(?![.\d])/,
    efforts: ['minimal', 'low', 'medium', 'high'],
    chat_lacks: 'reasoning',
  },
  {
    ...REASONING,
    names: /(?:^|\/)gpt-[\d.]+-pro/,
    efforts: ['medium', 'high', 'xhigh'],
    chat_lacks: 'model',
  },
  {
    ...REASONING,
    names: /(?:^|\/)gpt-5\.1(?!\d)/,
    efforts: ['none', 'low', 'medium', 'high'],
    default_effort: 'none',
    chat_lacks: 'reasoning',
  },
  {
    ...REASONING,
    names: /(?:^|\/)gpt-5\.[2-4](?!\d)/,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    default_effort: 'none',
    chat_lacks: 'reasoning_with_tools',
  },
  {
    ...REASONING,
    names: /(?:^|\/)gpt-(?:5\.|[6-9])/,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    chat_lacks: 'reasoning_with_tools',
  },
  {
    names: /(?:^|\/)(?:gpt-[34]|chatgpt-)/,
    default_effort: 'none',
    chat_lacks: 'nothing',
    limit_field: 'max_completion_tokens',
    takes_sampling: true,
    efforts: [],
    takes_signatures: false,
  },
]

/** Every other server of the protocol, and every other model. */
const OTHERS = {
  limit_field: 'max_tokens',
  takes_sampling: true,
  efforts: ['none', 'low', 'medium', 'high'],
  default_effort: 'none',
  chat_lacks: 'nothing',
} as const

export const generationOf = (model: string): Generation =>
  ROWS.find(({ names }) => names.test(model)) ?? { ...OTHERS, takes_signatures: model.includes('gemini') }

/**
 * The value of reasoning_effort that is nearest to the one asked for, of two equally near ones the higher; undefined
 * where none is taken.
 */
export function nearestEffort({ efforts }: Generation, asked: Effort | 'none'): Effort | 'none' | undefined {
  const distance = (effort: Effort | 'none') =>
    Math.abs(ALL_EFFORTS.indexOf(effort) - ALL_EFFORTS.indexOf(asked))
  return efforts.reduce<Effort | 'none' | undefined>(
    (nearest, effort) => (nearest && distance(nearest) < distance(effort) ? nearest : effort),
    undefined,
  )
}
