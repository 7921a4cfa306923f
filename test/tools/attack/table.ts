// The table of what was tried and what held, for a terminal of 80 columns and for Markdown.
import type { Attack, Result } from './attack.ts'

export interface Row {
  readonly attack: Attack
  /** What the attack threw counts as not held. */
  readonly result: Result
}

/** Two lines for each attack, so that 80 columns suffice: what was tried, and what was seen. */
export const textOf = (rows: readonly Row[]): string =>
  rows
    .map(
      ({ attack, result }) =>
        `${result.held ? 'held  ' : 'BROKEN'}  ${attack.what}\n        ${result.tried}: ${result.seen}`,
    )
    .join('\n')

export const markdownOf = (rows: readonly Row[]): string =>
  [
    '| what was tried | how often | what was seen | held |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ attack, result }) =>
        `| ${attack.what} | ${result.tried} | ${result.seen} | ${result.held ? 'yes' : '**no**'} |`,
    ),
  ].join('\n')
