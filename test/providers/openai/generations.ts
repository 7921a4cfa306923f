// The generations of OpenAI's models, recognized by their names.

/** The features of a generation in chat completions. */
export interface Generation {
  /** The values of reasoning_effort; empty if the field is unknown. */
  readonly efforts: readonly string[]
  /** The effort without one in the request. */
  readonly default_effort: string
  /** Whether temperature, top_p, penalties and probabilities are accepted: always, without reasoning only, or never. */
  readonly sampling: 'always' | 'without reasoning' | 'never'
  readonly takes_stop: boolean
  readonly takes_parallel_tool_calls: boolean
  /** Whether it reasons and calls functions in one chat completion. */
  readonly reasons_with_tools: boolean
  /** Whether it is served in chat completions at all. */
  readonly in_chat: boolean
  /** The end of the refusal of reasoning with functions. */
  readonly tools_advice: string
}

interface Row extends Partial<Generation> {
  readonly names: RegExp
}

const OLDEST: Generation = {
  efforts: [],
  default_effort: 'none',
  sampling: 'always',
  takes_stop: true,
  takes_parallel_tool_calls: true,
  reasons_with_tools: true,
  in_chat: true,
  tools_advice: '',
}

const REASONING = { default_effort: 'medium', sampling: 'never', takes_stop: false } as const
const RESPONSES_ONLY = {
  reasons_with_tools: false,
  tools_advice: 'Please use /v1/responses instead.',
} as const

/**
 * The first row that fits a name holds.
 * Efforts: https://learn.microsoft.com/javascript/api/@azure/ai-projects/reasoningeffort,
 * https://github.com/anomalyco/opencode/issues/36141 (5.6), https://github.com/microsoft/vscode/issues/301045 (5 mini),
 * https://github.com/Laisky/one-api/issues/266 and 120 (chat), https://github.com/tontinton/maki/pull/851 (codex),
 * https://github.com/anomalyco/opencode/pull/26268 (pro), https://github.com/anomalyco/opencode/pull/26273 (o-series). Stop: https://github.com/BerriAI/litellm/pull/28650.
 * Tools: https://github.com/livekit/agents/pull/5088 (5.2 and 5.4), https://github.com/BerriAI/litellm/pull/34569 (5.6).
 */
const ROWS: readonly Row[] = [
  { names: /gpt-[34]|^chatgpt-/ },
  { names: /^o\d-[\w-]*deep-research/, ...REASONING, efforts: ['medium'] },
  {
    names: /^o\d/,
    ...REASONING,
    efforts: ['low', 'medium', 'high'],
    takes_parallel_tool_calls: false,
  },
  { names: /gpt-5-chat/ },
  { names: /gpt-5\.\d-chat/, ...REASONING, efforts: ['medium'] },
  {
    names: /gpt-(?:5\.1-codex-max|(?:5\.[2-9]|[6-9])-codex)/,
    ...REASONING,
    efforts: ['low', 'medium', 'high', 'xhigh'],
  },
  { names: /gpt-5(?:\.1)?-codex/, ...REASONING, efforts: ['low', 'medium', 'high'] },
  { names: /gpt-5\.\d-pro/, ...REASONING, efforts: ['medium', 'high', 'xhigh'] },
  { names: /gpt-5-pro/, ...REASONING, default_effort: 'high', efforts: ['high'] },
  { names: /gpt-5(?![.\d])/, ...REASONING, efforts: ['minimal', 'low', 'medium', 'high'] },
  {
    names: /gpt-5\.1/,
    ...REASONING,
    default_effort: 'none',
    sampling: 'without reasoning',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  {
    names: /gpt-5\.[2-4]/,
    ...REASONING,
    ...RESPONSES_ONLY,
    default_effort: 'none',
    sampling: 'without reasoning',
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  },
  {
    names: /gpt-5\.5/,
    ...REASONING,
    ...RESPONSES_ONLY,
    sampling: 'without reasoning',
    takes_stop: true,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  },
  {
    names: /gpt-(?:5\.[6-9]|[6-9])/,
    ...REASONING,
    ...RESPONSES_ONLY,
    sampling: 'without reasoning',
    takes_stop: true,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
    tools_advice: "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
  },
]

/** The generation of a model; undefined for a name that is not OpenAI's. */
export function generationOf(model: string): Generation | undefined {
  const row = ROWS.find(({ names }) => names.test(model))
  return row && { ...OLDEST, ...row, in_chat: !OF_RESPONSES.test(model) }
}

/** https://platform.openai.com/docs/models/gpt-5-codex, https://platform.openai.com/docs/models/gpt-5-pro */
const OF_RESPONSES = /gpt-[5-9](?:\.\d)?-(?:pro|codex)|^o\d-(?:pro|[\w-]*deep-research)/
