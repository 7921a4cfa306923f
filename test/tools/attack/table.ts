// The table of attacks and results, for a terminal of 80 columns and for Markdown.
import type { Attack, Result } from './attack.ts'

export interface Row {
  readonly attack: Attack
  /** An attack that threw counts as not held. */
  readonly result: Result
}

/** Two lines for each attack, so that 80 columns suffice: the attack, and its figures. */
export const textOf = (rows: readonly Row[]): string =>
  rows
    .map(
      ({ attack, result }) =>
        `${result.held ? 'held  ' : 'BROKEN'}  ${attack.description}\n        ${result.tried}: ${result.figures}`,
    )
    .join('\n')

export const markdownOf = (rows: readonly Row[]): string =>
  [
    '| attack | tried | figures | held |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ attack, result }) =>
        `| ${attack.description} | ${result.tried} | ${result.figures} | ${result.held ? 'yes' : '**no**'} |`,
    ),
  ].join('\n')
