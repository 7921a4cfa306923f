// The link to a list as a file: all rows that match the filters in force.
import { Download } from 'lucide-react'
import { addressOf } from '../app/place.ts'
import { useZone } from '../app/zone.ts'
import { withQuery } from './address-state.ts'

interface ExportCsvProps {
  /** The subject of the list in the API: `calls` is read from `/console/api/calls.csv`. */
  list: string
  /** The filters in force, as the list's route takes them; a cursor and a limit are left out of it. */
  query: Readonly<Record<string, string | number | undefined>>
  /** False of a file without times: its days have their zone in the query, or are of UTC. */
  has_times?: boolean
  /** Beside another list's, which one it is of. */
  label?: string
}

export function ExportCsv({ list, query, has_times = true, label = 'Export CSV' }: ExportCsvProps) {
  const zone = useZone()
  const { cursor: _, limit: __, ...rest } = query
  const filters = { ...rest, ...(has_times && zone !== 'UTC' && { zone }) }
  const texts = Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  )
  return (
    <a className="button" href={addressOf(withQuery(`/console/api/${list}.csv`, texts))} download>
      <Download className="icon" aria-hidden />
      {label}
    </a>
  )
}
