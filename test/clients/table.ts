// The table of clients and features, and its place in plugins/README.md between two markers.
import { GROUPS } from './client.ts'
import { FEATURES } from './feature.ts'
import type { Tried, Verdict } from './trial.ts'

export const README = `${import.meta.dir}/../../plugins/README.md`
const BEGINS = '<!-- clients: begin (bun run clients --table) -->'
const ENDS = '<!-- clients: end -->'

const cellOf = (verdict: Verdict | undefined): string =>
  verdict === undefined ? '' : verdict === 'yes' ? 'yes' : '**no**'

/** A table for each group. @param day when they were tried, such as 2026-11-22 */
export function tableOf(tried: readonly Tried[], day: string): string {
  const rows = GROUPS.flatMap((group) => {
    const of_group = tried.filter(({ client }) => client.group === group)
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
  return [`Tried on ${day}:`, ...rows].join('\n')
}

/** The README with this table in place of the one before. @throws Error where the markers are missing */
export function withTable(readme: string, table: string): string {
  const from = readme.indexOf(BEGINS)
  const to = readme.indexOf(ENDS)
  if (from < 0 || to < from) throw new Error(`plugins/README.md: needs the lines ${BEGINS} and ${ENDS}`)
  return `${readme.slice(0, from)}${BEGINS}\n\n${table}\n\n${readme.slice(to)}`
}
