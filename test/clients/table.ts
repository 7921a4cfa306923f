// The table of clients and features, and its place in plugins/README.md between two markers.
import { GROUPS } from './client.ts'
import { FEATURES } from './feature.ts'
import type { Result } from './results.ts'
import type { Verdict } from './trial.ts'

export const README = `${import.meta.dir}/../../plugins/README.md`
const BEGINS = '<!-- clients: begin (bun run clients --table) -->'
const ENDS = '<!-- clients: end -->'

const cellOf = (verdict: Verdict | undefined): string =>
  verdict === undefined ? '' : verdict === 'yes' ? 'yes' : '**no**'

/** A table for each group. */
export function tableOf(results: readonly Result[]): string {
  const rows = GROUPS.flatMap((group) => {
    const of_group = results.filter(({ client }) => client.group === group)
    if (of_group.length === 0) return []
    return [
      '',
      `| ${group} | ${['version', ...FEATURES].join(' | ')} |`,
      `| --- |${' --- |'.repeat(FEATURES.length + 1)}`,
      ...of_group.map(
        ({ client, verdicts }) =>
          `| ${[client.title, client.version, ...FEATURES.map((each) => cellOf(verdicts[each]))].join(' | ')} |`,
      ),
    ]
  })
  const days = results.map(({ day }) => day).sort()
  return [`Last tried on ${days.at(-1) ?? 'no day yet'}:`, ...rows].join('\n')
}

/** The README with this table in place of the one before. @throws Error where the markers are missing */
export function withTable(readme: string, table: string): string {
  const from = readme.indexOf(BEGINS)
  const to = readme.indexOf(ENDS)
  if (from < 0 || to < from) throw new Error(`plugins/README.md: needs the lines ${BEGINS} and ${ENDS}`)
  return `${readme.slice(0, from)}${BEGINS}\n\n${table}\n\n${readme.slice(to)}`
}
