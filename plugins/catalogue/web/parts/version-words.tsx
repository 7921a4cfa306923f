// A version of the catalogue in words: who saved it, and what it changed.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'

export type Version = AnswerOf<typeof api.catalogue.versions.get>['versions'][number]

export function SavedBy({ by: { kind, address, command } }: Pick<Version, 'by'>) {
  if (kind === 'command') return <code className="no-wrap">tollgate {command}</code>
  if (kind === 'file') return <>The file on the server</>
  return <>Console{address !== null && <span className="soft"> from {address}</span>}</>
}

const MAX_PARTS = 3

/** "flash (price), provider attic added": the first few. */
export function changeWords(changed: Version['changed']): string {
  if (changed === null) return '–'
  if (changed.length === 0) return 'Comments or order only'
  const words = changed.slice(0, MAX_PARTS).map(({ kind, name, change, fields }) => {
    const what = kind === 'provider' ? `provider ${name}` : name
    if (change !== 'changed') return `${what} ${change}`
    return fields.length === 0
      ? what
      : `${what} (${fields.map((field) => field.replaceAll('_', ' ')).join(', ')})`
  })
  const more = changed.length - words.length
  return words.join(', ') + (more > 0 ? ` and ${String(more)} more` : '')
}
