// The table of agents and models, with the served tool loops, in 80 columns.
import type { Client } from '../client.ts'
import { isServedBy } from '../trial.ts'
import { CURRENT_MODELS } from './models.ts'
import type { Row } from './run.ts'

export interface Line {
  readonly client: Pick<Client, 'title' | 'version'>
  readonly loses_signatures: boolean
  readonly row: Row
}

const WIDTHS = [22, ...CURRENT_MODELS.map(() => 10)]

const cells = (texts: readonly string[]): string =>
  `| ${texts.map((text, at) => text.padEnd((WIDTHS[at] ?? 0) - 1)).join('| ')}|`

/** @param day such as 2026-11-24 */
export function tableOf(lines: readonly Line[], day: string): string {
  const ids = CURRENT_MODELS.map(({ id }) => id)
  const heads = ['agent', ...CURRENT_MODELS.map(({ title }) => title)]
  return [
    `Last tested on ${day} with ${ids.slice(0, 2).join(', ')},`,
    `${ids.slice(2).join(', ')}:`,
    '',
    cells(heads),
    `|${WIDTHS.map((width) => '-'.repeat(width)).join('|')}|`,
    ...lines.map(({ client: { title, version }, loses_signatures, row }) =>
      cells([
        `${title} ${version}`,
        ...CURRENT_MODELS.map((model) => {
          if (!isServedBy(row[model.title])) return '**no**'
          return loses_signatures && model.signs && model.always_thinks ? 'yes¹' : 'yes'
        }),
      ]),
    ),
    '',
    '¹ The agent does not send back what signs its thinking: GPT thinks anew, and',
    'Gemini gets its documented placeholder.',
  ].join('\n')
}
