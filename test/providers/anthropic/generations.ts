// The generations of Claude models, recognized by Anthropic's model names.
// https://platform.claude.com/docs/en/about-claude/models/migration-guide, and for 5.5 and 5.1 their own guides below it.

/** The features of a model generation. */
export interface Generation {
  /** The rejected types of thinking. */
  readonly refuses_thinking: readonly string[]
  /** The accepted ones of temperature, top_p and top_k. */
  readonly sampling: 'all' | 'not temperature with top_p' | 'none'
  readonly takes_prefill: boolean
  /** The values of output_config.effort; empty if the field is refused. */
  readonly efforts: readonly string[]
  /** Efforts above `high` are refused together with thinking that is switched off. */
  readonly caps_effort_without_thinking: boolean
  /** Whether tool_choice may be `any` or `tool`. */
  readonly takes_forced_tools: boolean
  /** Whether system messages may stand among the messages. */
  readonly takes_late_system: boolean
  /** Whether output_config.format and strict tools are accepted. */
  readonly takes_schemas: boolean
}

interface Row extends Generation {
  /** The version from which the row holds, as major * 100 + minor. */
  readonly from: number
  readonly family?: RegExp
}

const EFFORTS = ['low', 'medium', 'high', 'max']

const OLDEST = {
  refuses_thinking: ['adaptive', 'between_tools'],
  sampling: 'all',
  takes_prefill: true,
  efforts: [],
  caps_effort_without_thinking: false,
  takes_forced_tools: true,
  takes_late_system: false,
  takes_schemas: false,
} as const satisfies Generation
const SINCE_4_1 = { ...OLDEST, sampling: 'not temperature with top_p' } as const
const SINCE_4_6 = {
  ...SINCE_4_1,
  refuses_thinking: ['between_tools'],
  takes_prefill: false,
  efforts: EFFORTS,
  takes_schemas: true,
} as const
const SINCE_4_7 = {
  ...SINCE_4_6,
  refuses_thinking: ['enabled', 'between_tools'],
  sampling: 'none',
  efforts: [...EFFORTS, 'xhigh'],
} as const
const SINCE_4_8 = { ...SINCE_4_7, caps_effort_without_thinking: true, takes_late_system: true } as const
const ALWAYS_THINKING = { ...SINCE_4_8, refuses_thinking: ['enabled', 'disabled', 'between_tools'] } as const

/** By falling version; the first row that fits a name holds. */
const ROWS: readonly Row[] = [
  {
    ...SINCE_4_8,
    from: 505,
    family: /sonnet/,
    refuses_thinking: ['enabled', 'disabled'],
    takes_forced_tools: false,
  },
  { ...SINCE_4_8, from: 505, family: /haiku/ },
  { ...ALWAYS_THINKING, from: 501, takes_forced_tools: false },
  { ...SINCE_4_8, from: 500, family: /opus|sonnet/ },
  { ...ALWAYS_THINKING, from: 500 },
  { ...SINCE_4_8, from: 408 },
  { ...SINCE_4_7, from: 407 },
  { ...SINCE_4_6, from: 406 },
  { ...SINCE_4_1, from: 405, family: /opus/, efforts: ['low', 'medium', 'high'], takes_schemas: true },
  { ...SINCE_4_1, from: 405, takes_schemas: true },
  { ...SINCE_4_1, from: 401, takes_schemas: true },
  { ...OLDEST, from: 0 },
]

/** `claude-3-7-sonnet-20250219`, `claude-opus-4-6`, `claude-sonnet-5`: a number of more digits is a date. */
const VERSION = /claude(?:-[a-z]+)?-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/
const DATE = /\d{3,}/g

/** The generation of a model; undefined for a name that is not Anthropic's. */
export function generationOf(model: string): Generation | undefined {
  const [, major, minor = '0'] = VERSION.exec(model.replace(DATE, '')) ?? []
  if (major === undefined) return undefined
  const version = Number(major) * 100 + Number(minor)
  return ROWS.find(({ from, family }) => version >= from && (family?.test(model) ?? true))
}
