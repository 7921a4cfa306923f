// Calls that came while a list is read: announced, and loaded at a click, so that nothing moves below the reader's eyes.
import { ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { count } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'

interface Listed {
  calls: readonly { request_id: string; started_at_ms: number }[]
}

interface Kept<Data> {
  /** As it was when the list was opened, or new calls were last loaded. */
  data: Data | undefined
  /** How many are newer. */
  new_calls: number
  /** All of the last page are: there may be more between. */
  has_more: boolean
  load: () => void
}

/**
 * Keeps a list in view as it is while newer answers come.
 * @param list its filters and page: another list is in view at once
 * @param latest undefined while the answer is of another list
 */
export function useKept<Data extends Listed>(list: string, latest: Data | undefined): Kept<Data> {
  const [kept, setKept] = useState<{ list: string; data: Data }>()
  if (latest && kept?.list !== list) setKept({ list, data: latest })
  const data = kept?.list === list ? kept.data : latest
  const newer = data && latest ? newerOf(latest, data) : 0
  return {
    data: data && latest ? asTheyAre(data, latest) : data,
    new_calls: newer,
    has_more: newer > 0 && newer === latest?.calls.length,
    load: () => latest && setKept({ list, data: latest }),
  }
}

/** The same rows, each as it was last answered: a call may have been refunded. */
function asTheyAre<Data extends Listed>(data: Data, latest: Listed): Data {
  const rows = new Map(latest.calls.map((row) => [row.request_id, row]))
  return { ...data, calls: data.calls.map((row) => rows.get(row.request_id) ?? row) }
}

/** A long call is listed when it ends, below newer ones: it is new, too. */
function newerOf(latest: Listed, { calls }: Listed): number {
  const known = new Set(calls.map(({ request_id }) => request_id))
  const oldest_ms = calls.at(-1)?.started_at_ms ?? 0
  return latest.calls.filter(
    ({ request_id, started_at_ms }) => started_at_ms >= oldest_ms && !known.has(request_id),
  ).length
}

/** "3 new calls", above the list, where it takes no room. */
export const NewCalls = ({ new_calls, has_more, load }: Omit<Kept<never>, 'data'>) => (
  <div className="calls-new" role="status">
    {new_calls > 0 && (
      <Button look="primary" small icon={ArrowUp} onClick={load}>
        {`${count(new_calls)}${has_more ? '+' : ''} new ${new_calls === 1 ? 'call' : 'calls'}`}
      </Button>
    )}
  </div>
)
