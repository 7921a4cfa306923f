// The list of clients with their served features, and the places in the guides for callers that runs rewrite.
import { GROUPS } from './client.ts'
import { FEATURES } from './feature.ts'
import type { Result } from './results.ts'

/** The names of places, with which their markers begin. */
export const LIST = 'clients'
export const TABLE = 'agents'
export const WEBSOCKET = 'websocket'
const PLUGINS = `${import.meta.dir}/../../../plugins`
const CLIENTS = `${PLUGINS}/clients.md`
/** The file of each place. */
export const GUIDES = { [LIST]: CLIENTS, [TABLE]: CLIENTS, [WEBSOCKET]: `${PLUGINS}/responses/README.md` }
const LINES = /(.{1,146})(?: |$)/g

/** The features that worked, and in bold those that failed. Features that the client lacks do not count. */
function featuresOf({ verdicts }: Result): string {
  const tried = FEATURES.filter((each) => verdicts[each] !== undefined)
  const failed = tried.filter((each) => verdicts[each] !== 'yes')
  const worked = tried.filter((each) => verdicts[each] === 'yes')
  const works = worked.length === FEATURES.length ? 'all' : worked.join(', ')
  return [works, ...(failed.length > 0 ? [`**failed: ${failed.join(', ')}**`] : [])].join('; ')
}

/** A line for all clients of a group with the same served features. */
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

/** A guide with this text at a place, instead of the previous one. @throws Error if the markers are missing */
export function replacePlace(place: string, text: string, guide: string): string {
  const ends = `<!-- ${place}: end -->`
  const [begins = `<!-- ${place}: begin -->`] = new RegExp(`<!-- ${place}: begin.*-->`).exec(guide) ?? []
  const from = guide.indexOf(begins)
  const to = guide.indexOf(ends)
  if (from < 0 || to < from) throw new Error(`the guide needs the lines ${begins} and ${ends}`)
  return `${guide.slice(0, from)}${begins}\n\n${text}\n\n${guide.slice(to)}`
}
