// The figures: medians, percentiles, and the table that is printed.

/** The median and the slow end of many durations, in milliseconds; NaN if there were none. */
export interface Spread {
  readonly p50: number
  readonly p99: number
}

/**
 * The smallest value that at least a share of all values does not exceed (nearest rank).
 * @param share between 0 and 1
 * @returns NaN for no values
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  const rank = Math.max(1, Math.ceil(share * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

/** The middle value, so that a round disturbed by the machine does not count. */
export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** The median of a field of many records. */
export const medianOf = <T>(records: readonly T[], field: (record: T) => number): number =>
  median(records.map(field))

export const spreadOf = (values: readonly number[]): Spread => ({
  p50: percentile(values, 0.5),
  p99: percentile(values, 0.99),
})

/** The values of one subject, in the order of the rounds. */
type Rounds = readonly number[]

/** One line of the table: a figure of the gateway, and those that it is compared with. */
export interface Figure {
  readonly what: string
  readonly unit: string
  readonly gateway: number
  /** The gateway of another checkout, for figures before and after a change. */
  readonly before?: Measured | undefined
  /** The bare forwarder. */
  readonly forwarder?: number | undefined
  /** The gateway's figure divided by the forwarder's, and their difference: medians of each round's own. */
  readonly ratio?: number | undefined
  readonly added?: number | undefined
  /** The goal for the gateway. */
  readonly goal?: Goal | undefined
}

/** The figures of a checkout that is compared. */
type Measured = Pick<Figure, 'gateway' | 'ratio' | 'added'>

/** A bound on a figure itself, on its ratio to the forwarder's, or on their difference. */
export interface Goal {
  readonly of: 'gateway' | 'ratio' | 'added'
  readonly bound: 'at most' | 'at least'
  readonly limit: number
  /** The goal after this one. */
  readonly then?: number
}

const goal =
  (of: Goal['of'], bound: Goal['bound']) =>
  (limit: number, then?: number): Goal => ({ of, bound, limit, ...(then !== undefined && { then }) })

export const atMost = goal('gateway', 'at most')
export const atLeast = goal('gateway', 'at least')
export const ratioAtMost = goal('ratio', 'at most')
export const ratioAtLeast = goal('ratio', 'at least')
export const addedAtMost = goal('added', 'at most')

/**
 * The figures of a gateway's rounds beside the forwarder's. Each round is compared with the one that was measured next to it, so that a
 * slow phase of the machine changes no ratio.
 */
function measuredOf(gateway: Rounds, forwarder?: Rounds): Measured {
  if (!forwarder) return { gateway: median(gateway) }
  const pairs = gateway.map((value, round) => [value, forwarder[round] ?? Number.NaN] as const)
  return {
    gateway: median(gateway),
    ratio: median(pairs.map(([ours, theirs]) => ours / theirs)),
    added: median(pairs.map(([ours, theirs]) => ours - theirs)),
  }
}

/** The line of a figure that was measured in rounds. */
export function figureOf(
  what: string,
  unit: string,
  rounds: { gateway: Rounds; before?: Rounds | undefined; forwarder?: Rounds | undefined },
  goal?: Goal,
): Figure {
  const { gateway, before, forwarder } = rounds
  return {
    what,
    unit,
    ...measuredOf(gateway, forwarder),
    ...(before && { before: measuredOf(before, forwarder) }),
    ...(forwarder && { forwarder: median(forwarder) }),
    ...(goal && { goal }),
  }
}

/** Whether a figure reaches its goal; undefined if it has none, or lacks the forwarder that the goal compares with. */
export function reaches(figure: Figure): boolean | undefined {
  const { goal } = figure
  const value = goal && figure[goal.of]
  if (!goal || value === undefined) return undefined
  return goal.bound === 'at most' ? value <= goal.limit : value >= goal.limit
}

const decimalsOf = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
const numberText = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(decimalsOf(value))

const GOAL_WORDS = { gateway: '', ratio: 'ratio ', added: 'added ' } as const
const SIGNS = { 'at most': '<=', 'at least': '>=' } as const
const goalText = (goal: Goal | undefined): string =>
  goal ? `${GOAL_WORDS[goal.of]}${SIGNS[goal.bound]} ${goal.limit}` : ''

const verdictOf = (figure: Figure): string => {
  const reached = reaches(figure)
  return reached === undefined ? '' : reached ? 'reached' : 'MISSED'
}

/** A column of a table. */
interface Column {
  readonly head: string
  readonly of: (figure: Figure) => string
  /** Words stand to the left, numbers to the right. */
  readonly words?: true
}

const WHAT: Column = { head: '', of: ({ what }) => what, words: true }
const VERDICT: Column = { head: '', of: verdictOf, words: true }
const GOAL: Column = { head: 'goal', of: ({ goal }) => goalText(goal), words: true }

const ALL_COLUMNS: readonly Column[] = [
  WHAT,
  { head: 'unit', of: ({ unit }) => unit, words: true },
  { head: 'before', of: ({ before }) => numberText(before?.gateway) },
  { head: 'gateway', of: ({ gateway }) => numberText(gateway) },
  { head: 'forwarder', of: ({ forwarder }) => numberText(forwarder) },
  { head: 'ratio before', of: ({ before }) => numberText(before?.ratio) },
  { head: 'ratio', of: ({ ratio }) => numberText(ratio) },
  { head: 'added before', of: ({ before }) => numberText(before?.added) },
  { head: 'added', of: ({ added }) => numberText(added) },
  GOAL,
  VERDICT,
]

const GOAL_COLUMNS: readonly Column[] = [
  WHAT,
  { head: 'before', of: ({ before, goal }) => numberText(goal && before?.[goal.of]) },
  { head: 'now', of: (figure) => numberText(figure.goal && figure[figure.goal.of]) },
  { head: 'unit', of: ({ unit, goal }) => (goal?.of === 'ratio' ? '' : unit), words: true },
  GOAL,
  { head: 'then', of: ({ goal }) => String(goal?.then ?? '') },
  VERDICT,
]

/**
 * Rows as aligned text, the first of them the head.
 * @param words the columns whose cells stand to the left
 * @returns lines, without a newline at the end
 */
export function alignedText(rows: readonly (readonly string[])[], words: ReadonlySet<number>): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell[words.has(column) ? 'padEnd' : 'padStart'](widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function tableWith(columns: readonly Column[], figures: readonly Figure[]): string {
  const used = columns.filter(({ head, of }) => head === '' || figures.some((figure) => of(figure) !== ''))
  const rows = [used.map(({ head }) => head), ...figures.map((figure) => used.map(({ of }) => of(figure)))]
  return alignedText(rows, new Set(used.flatMap(({ words }, index) => (words ? [index] : []))))
}

/** All figures as aligned text: a head, then one line for each. */
export const tableOf = (figures: readonly Figure[]): string => tableWith(ALL_COLUMNS, figures)

/** The figures with a goal: the figure that the goal is for, the goal, and the next one. */
export const goalsOf = (figures: readonly Figure[]): string =>
  tableWith(
    GOAL_COLUMNS,
    figures.filter(({ goal }) => goal),
  )
