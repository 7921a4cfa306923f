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

export const spreadOf = (values: readonly number[]): Spread => ({
  p50: percentile(values, 0.5),
  p99: percentile(values, 0.99),
})

/** The median of a field of many records. */
export const medianOf = <T>(records: readonly T[], field: (record: T) => number): number =>
  median(records.map(field))

/** One line of the table: what was measured, for the gateway and for what it is compared with. */
export interface Figure {
  readonly what: string
  readonly unit: string
  readonly gateway: number
  /** Undefined if there is nothing to compare with. */
  readonly peer?: number
  /** The goal for the gateway: a ratio to the peer, a difference from it, or a value of its own. */
  readonly goal?: Goal
}

export type Goal =
  | { readonly ratio_at_most: number }
  | { readonly added_at_most: number }
  | { readonly at_most: number }
  | { readonly at_least: number }

/** Whether a figure reaches its goal; undefined if it has none, or lacks the peer that the goal compares with. */
export function reaches({ gateway, peer, goal }: Figure): boolean | undefined {
  if (!goal) return undefined
  if ('at_most' in goal) return gateway <= goal.at_most
  if ('at_least' in goal) return gateway >= goal.at_least
  if (peer === undefined) return undefined
  return 'ratio_at_most' in goal ? gateway / peer <= goal.ratio_at_most : gateway - peer <= goal.added_at_most
}

const decimalsOf = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
const numberText = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(decimalsOf(value))

function goalText(goal: Goal | undefined): string {
  if (!goal) return ''
  if ('at_most' in goal) return `<= ${goal.at_most}`
  if ('at_least' in goal) return `>= ${goal.at_least}`
  return 'ratio_at_most' in goal ? `ratio <= ${goal.ratio_at_most}` : `added <= ${goal.added_at_most}`
}

const HEAD = ['', 'unit', 'gateway', 'forwarder', 'ratio', 'added', 'goal', '']

const cellsOf = (figure: Figure): string[] => {
  const { what, unit, gateway, peer, goal } = figure
  const verdict = reaches(figure)
  return [
    what,
    unit,
    numberText(gateway),
    numberText(peer),
    numberText(peer === undefined ? undefined : gateway / peer),
    numberText(peer === undefined ? undefined : gateway - peer),
    goalText(goal),
    verdict === undefined ? '' : verdict ? 'reached' : 'MISSED',
  ]
}

/**
 * The figures as aligned text: a head, then one line for each.
 * @returns lines, without a newline at the end
 */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const isText = (column: number): boolean => column < 2 || column > 5
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
