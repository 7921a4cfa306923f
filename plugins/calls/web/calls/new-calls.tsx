// New calls while the user reads a list: announced, and loaded at a click, so that the rows do not move.
import { ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { count } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'

interface Listed {
  calls: readonly { request_id: string; started_at_ms: number }[]
}

interface SteadyList<Data> {
  /** The rows from when the list was opened, or when new calls were last loaded. */
  data: Data | undefined
  new_calls: number
  /** Whether the whole latest page is new, so that there may be more new calls. */
  has_more: boolean
  load: () => void
}

/**
 * Keeps the rows of a list while newer answers arrive.
 * @param list identifies the list by its filters and page; another list is shown at once
 * @param latest undefined while the answer belongs to another list
 */
export function useSteadyList<Data extends Listed>(list: string, latest: Data | undefined): SteadyList<Data> {
  const [kept, setKept] = useState<{ list: string; data: Data }>()
  if (latest && kept?.list !== list) setKept({ list, data: latest })
  const data = kept?.list === list ? kept.data : latest
  const newer = data && latest ? countNewer(latest, data) : 0
  return {
    data: data && latest ? updateRows(data, latest) : data,
    new_calls: newer,
    has_more: newer > 0 && newer === latest?.calls.length,
    load: () => latest && setKept({ list, data: latest }),
  }
}

/** Replaces rows by their latest versions: a call may have been refunded. */
function updateRows<Data extends Listed>(data: Data, latest: Listed): Data {
  const rows = new Map(latest.calls.map((row) => [row.request_id, row]))
  return { ...data, calls: data.calls.map((row) => rows.get(row.request_id) ?? row) }
}

/** Counts new calls, also long calls, which are listed when they end, below calls that started later. */
function countNewer(latest: Listed, { calls }: Listed): number {
  const known = new Set(calls.map(({ request_id }) => request_id))
  const oldest_ms = calls.at(-1)?.started_at_ms ?? 0
  return latest.calls.filter(
    ({ request_id, started_at_ms }) => started_at_ms >= oldest_ms && !known.has(request_id),
  ).length
}

/** "3 new calls", laid over the top of the list. */
export const NewCalls = ({ new_calls, has_more, load }: Omit<SteadyList<never>, 'data'>) => (
  <div className="calls-new" role="status">
    {new_calls > 0 && (
      <Button look="primary" small icon={ArrowUp} onClick={load}>
        {`${count(new_calls)}${has_more ? '+' : ''} new ${new_calls === 1 ? 'call' : 'calls'}`}
      </Button>
    )}
  </div>
)
