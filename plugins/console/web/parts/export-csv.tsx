// Link to a list as a CSV file, with all rows that match the current filters.
import { Download } from 'lucide-react'
import { addressOf } from '../app/gateway-address.ts'
import { useZone } from '../app/zone.ts'
import { withQuery } from './address-state.ts'

interface ExportCsvProps {
  /** The list's name in the API: `calls` is at `/console/api/calls.csv`. */
  list: string
  /** The query of the list's route with the current filters; `cursor` and `limit` are left out. */
  query: Readonly<Record<string, string | number | undefined>>
  /** False for a file without times: its days have their zone in the query, or are in UTC. */
  has_times?: boolean
  /** Set if a page has several, to say which list it exports. */
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
