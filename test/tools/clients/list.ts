// The list of clients and the features that they were served, and the places in plugins/README.md that such runs write.
import { GROUPS } from './client.ts'
import { FEATURES } from './feature.ts'
import type { Result } from './results.ts'

export const README = `${import.meta.dir}/../../../plugins/README.md`
/** What the markers around a place begin with. */
export const LIST = 'clients'
export const TABLE = 'agents'
export const WEBSOCKET = 'websocket'
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

/** The README with this text at a place, instead of the one before. @throws Error where the markers are missing */
export function written(place: string, text: string, readme: string): string {
  const ends = `<!-- ${place}: end -->`
  const [begins = `<!-- ${place}: begin -->`] = new RegExp(`<!-- ${place}: begin.*-->`).exec(readme) ?? []
  const from = readme.indexOf(begins)
  const to = readme.indexOf(ends)
  if (from < 0 || to < from) throw new Error(`plugins/README.md: needs the lines ${begins} and ${ends}`)
  return `${readme.slice(0, from)}${begins}\n\n${text}\n\n${readme.slice(to)}`
}
