// The list of clients and the features that they were served, and its place in plugins/README.md between two markers.
import { GROUPS } from './client.ts'
import { FEATURES } from './feature.ts'
import type { Result } from './results.ts'

export const README = `${import.meta.dir}/../../plugins/README.md`
const BEGINS = '<!-- clients: begin (bun run clients --readme) -->'
const ENDS = '<!-- clients: end -->'
const LINES = /(.{1,146})(?: |$)/g

/** The features that worked, and in bold those that did not. A client without a feature is not blamed for it. */
function featuresOf({ verdicts }: Result): string {
  const tried = FEATURES.filter((each) => verdicts[each] !== undefined)
  const failed = tried.filter((each) => verdicts[each] !== 'yes')
  const worked = tried.filter((each) => verdicts[each] === 'yes')
  const works = worked.length === FEATURES.length ? 'all' : worked.join(', ')
  return [works, ...(failed.length > 0 ? [`**failed: ${failed.join(', ')}**`] : [])].join('; ')
}

/** A line for the clients of a group that were served the same features. */
export function listOf(results: readonly Result[]): string {
  const lines = GROUPS.flatMap((group) => {
    const of_group = results.filter(({ client }) => client.group === group)
    return [...Map.groupBy(of_group, featuresOf)].map(([features, same]) => {
      const clients = same.map(({ client }) => `${client.title} ${client.version}`)
      return `- **${group}** (${features}): ${clients.join('; ')}`.replace(LINES, '$1\n  ').trimEnd()
    })
  })
  const days = results.map(({ day }) => day).sort()
  return [`Last tested on ${days.at(-1) ?? 'no day yet'}:`, '', ...lines].join('\n')
}

/** The README with this list in place of the one before. @throws Error where the markers are missing */
export function withList(readme: string, list: string): string {
  const from = readme.indexOf(BEGINS)
  const to = readme.indexOf(ENDS)
  if (from < 0 || to < from) throw new Error(`plugins/README.md: needs the lines ${BEGINS} and ${ENDS}`)
  return `${readme.slice(0, from)}${BEGINS}\n\n${list}\n\n${readme.slice(to)}`
}
