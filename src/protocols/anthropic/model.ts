// The differences between generations of Claude models, as far as their names tell them.
// https://platform.claude.com/docs/en/about-claude/models/migration-guide

export interface Generation {
  /** `budget`: thinking takes budget_tokens; `adaptive`: it takes an effort, and a budget is refused or deprecated. */
  readonly thinking: 'budget' | 'adaptive'
  /** Which of temperature and top_p are taken: from 4.1 on not both in one request, from 4.7 on neither (nor top_k). */
  readonly sampling: 'both' | 'one' | 'none'
  /**
   * How thinking is switched off: by a type, by leaving the field out, or not at all, so that the lowest effort is
   * asked for.
   */
  readonly off: 'disabled' | 'between_tools' | 'nothing' | 'least'
  /** Efforts above `high` and the display of thinking came with 4.7. */
  readonly takes_display_and_high_efforts: boolean
}

interface Row extends Generation {
  /** The version from which the row holds, as major * 100 + minor. */
  readonly from: number
  /** The family of models that it holds for; undefined for all. */
  readonly family?: string
}

const OLDEST: Generation = {
  thinking: 'budget',
  sampling: 'both',
  off: 'disabled',
  takes_display_and_high_efforts: false,
}

const NEWEST = { thinking: 'adaptive', sampling: 'none', takes_display_and_high_efforts: true } as const

/** By falling version; the first row that fits a model holds for it. */
const ROWS: readonly Row[] = [
  { ...NEWEST, from: 505, family: 'sonnet', off: 'between_tools' },
  { ...NEWEST, from: 505, family: 'haiku', off: 'disabled' },
  { ...NEWEST, from: 501, off: 'least' },
  { ...NEWEST, from: 500, family: 'opus', off: 'disabled' },
  { ...NEWEST, from: 500, off: 'least' },
  { ...NEWEST, from: 407, off: 'nothing' },
  { ...OLDEST, from: 406, thinking: 'adaptive', sampling: 'one' },
  { ...OLDEST, from: 401, sampling: 'one' },
]

/** `claude-3-7-sonnet-20250219`, `claude-opus-4-6`, `claude-sonnet-5`: a number of more digits is a date. */
const VERSION = /(?:^|\D)(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/
const DATE = /\d{3,}/g

/**
 * The generation of a model; one without a version in its name counts as the oldest, as do other providers' models
 * behind this protocol.
 */
export function generationOf(model: string): Generation {
  const [, major, minor] = VERSION.exec(model.replace(DATE, '')) ?? []
  if (!model.includes('claude') || major === undefined) return OLDEST
  const version = Number(major) * 100 + Number(minor ?? 0)
  const fits = ({ from, family }: Row) => version >= from && (family === undefined || model.includes(family))
  return ROWS.find(fits) ?? OLDEST
}
