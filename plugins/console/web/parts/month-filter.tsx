// Filter by month, which sets the filters of days to its first and last day.
import { useZone } from '../app/zone.ts'
import { useAddressState, withoutEmpty } from './address-state.ts'
import type { DayFilters } from './filter-fields.tsx'
import { Select } from './select.tsx'
import { dayName, monthName } from './time-words.ts'

/** Returns the last months in the page's time zone, the current one first. */
function recentMonths(count: number): string[] {
  const [year = 0, month = 0] = dayName(Date.now()).split('-').map(Number)
  return Array.from({ length: count }, (_, ago) =>
    new Date(Date.UTC(year, month - 1 - ago)).toISOString().slice(0, 'YYYY-MM'.length),
  )
}

function daysOf(month: string): { since: string; until: string } {
  const [year = 0, of_year = 0] = month.split('-').map(Number)
  const until = new Date(Date.UTC(year, of_year, 0)).toISOString().slice(0, 'YYYY-MM-DD'.length)
  return { since: `${month}-01`, until }
}

const MONTHS_OFFERED = 12

type MonthFilterProps = Parameters<typeof DayFilters>[0] & {
  any?: string
}

export function MonthFilter({ since, until, set, any = 'Any month' }: MonthFilterProps) {
  const months = recentMonths(MONTHS_OFFERED)
  const isOf = (month: string) => daysOf(month).since === since && daysOf(month).until === until
  return (
    <Select
      inline
      aria-label="Month"
      options={[{ value: '', label: any }, ...months.map((value) => ({ value, label: monthName(value) }))]}
      value={months.find(isOf) ?? ''}
      onChange={(month) => set(month === '' ? { since: '', until: '' } : daysOf(month))}
    />
  )
}

/** The days of a report, `from` and `to` in the address, with the query of its route. */
export function useReportDays() {
  const [{ from, to }, change] = useAddressState({ from: '', to: '' })
  const zone = useZone()
  const set = ({ since, until }: { since?: string; until?: string }) =>
    change({ ...(since !== undefined && { from: since }), ...(until !== undefined && { to: until }) })
  return {
    query: withoutEmpty({ since: from, until: to, zone: zone === 'UTC' ? '' : zone }),
    days: { since: from, until: to, set },
  }
}
