// The differences between the models behind chat completions, as far as their names tell them.
import type { Effort } from '../canonical/fields.ts'

export interface Generation {
  /** OpenAI's reasoning models refuse `max_tokens`; servers such as Ollama know only that. */
  readonly limit_field: 'max_completion_tokens' | 'max_tokens'
  /** Whether temperature, top_p and the penalties are taken. */
  readonly takes_sampling: boolean
  /** The values of reasoning_effort that are taken, rising; none where the field is refused. */
  readonly efforts: readonly (Effort | 'none')[]
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
} as const

/**
 * OpenAI's own models, under their own names or behind a router (`openai/gpt-5`); the first row that fits a name holds.
 * https://platform.openai.com/docs/api-reference/chat/create, https://platform.openai.com/docs/guides/reasoning
 */
const ROWS: readonly Row[] = [
  { ...REASONING, names: /(?:^|\/)o\d/, efforts: ['low', 'medium', 'high'] },
  { ...REASONING, names: /(?:^|\/)gpt-5(?![.\d])/, efforts: ['minimal', 'low', 'medium', 'high'] },
  { ...REASONING, names: /(?:^|\/)gpt-(?:5\.|[6-9])/, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] },
  {
    names: /(?:^|\/)(?:gpt-[34]|chatgpt-)/,
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
