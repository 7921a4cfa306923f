// The generations of Claude models, recognised by the names that Anthropic gives them.
// https://platform.claude.com/docs/en/about-claude/models/migration-guide

/** What a generation takes. */
export interface Generation {
  /** Which types of thinking are refused. */
  readonly refuses_thinking: readonly string[]
  /** Which of temperature, top_p and top_k are taken. */
  readonly sampling: 'all' | 'not temperature with top_p' | 'none'
  readonly takes_prefill: boolean
  /** The values of output_config.effort; none where the field is refused. */
  readonly efforts: readonly string[]
}

const EFFORTS = ['low', 'medium', 'high', 'max']

/** By falling version, as major * 100 + minor. */
const ROWS: readonly (Generation & { readonly from: number; readonly family?: RegExp })[] = [
  {
    from: 407,
    refuses_thinking: ['enabled'],
    sampling: 'none',
    takes_prefill: false,
    efforts: [...EFFORTS, 'xhigh'],
  },
  {
    from: 406,
    refuses_thinking: [],
    sampling: 'not temperature with top_p',
    takes_prefill: false,
    efforts: EFFORTS,
  },
  {
    from: 405,
    family: /opus/,
    refuses_thinking: ['adaptive'],
    sampling: 'not temperature with top_p',
    takes_prefill: true,
    efforts: ['low', 'medium', 'high'],
  },
  {
    from: 401,
    refuses_thinking: ['adaptive'],
    sampling: 'not temperature with top_p',
    takes_prefill: true,
    efforts: [],
  },
  { from: 0, refuses_thinking: ['adaptive'], sampling: 'all', takes_prefill: true, efforts: [] },
]

/** `claude-3-7-sonnet-20250219`, `claude-opus-4-6`, `claude-sonnet-5`: a number of more digits is a date. */
const VERSION = /claude(?:-[a-z]+)?-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/
const DATE = /\d{3,}/g

/** The generation of a model; undefined for names that Anthropic has not given. */
export function generationOf(model: string): Generation | undefined {
  const [, major, minor = '0'] = VERSION.exec(model.replace(DATE, '')) ?? []
  if (major === undefined) return undefined
  const version = Number(major) * 100 + Number(minor)
  return ROWS.find(({ from, family }) => version >= from && (family?.test(model) ?? true))
}
