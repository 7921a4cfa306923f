// Failed calls of the last 7 days on the pages of an account, a key, a model or a provider: number, percentage and causes, as a link to the list.
import { Link } from 'wouter'
import type { ReportRange } from '../../../../src/domain/ranges.ts'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useZone } from '../../../console/web/app/zone.ts'
import { withQuery } from '../../../console/web/parts/address-state.ts'
import { count, share } from '../../../console/web/parts/amounts.ts'
import { Figure } from '../../../console/web/parts/figure.tsx'
import { causeWord, FAILED_HINT } from '../../../console/web/parts/outcome.tsx'
import { dayName } from '../../../console/web/parts/time-words.ts'

interface FailedFilter {
  account?: string
  key_id?: number
  key?: string
  model?: string
  provider?: string
  /** A range or days, instead of the last 7 days. */
  range?: ReportRange
  since?: string
  until?: string
}

type Failed = AnswerOf<(typeof api)['failed-calls']['get']>

const EVERY_MS = 30_000

function useFailed(of: FailedFilter) {
  const zone = useZone()
  const query = { ...filtersOf(of), zone }
  const { data } = useApi(['failed-calls', query], () => api['failed-calls'].get({ query }), {
    every_ms: EVERY_MS,
    is_of_one: true,
  })
  return data
}

const filtersOf = ({ key_id, ...of }: FailedFilter) => ({ ...of, ...(key_id && { key: String(key_id) }) })

const hrefOf = ({ range: _, until, ...of }: FailedFilter, { from_at_ms }: Failed): string =>
  withQuery('/calls', { ...filtersOf(of), outcome: 'failed', since: dayName(from_at_ms), until })

/** "12 (3 %)" */
const countOf = ({ calls, failed }: Failed): string =>
  failed === 0 ? '0' : `${count(failed)} (${share(failed / calls)})`

/** For a provider, unanswered calls count if it was tried; the Overview counts calls that it answered. */
const hintOf = ({ provider }: FailedFilter): string =>
  provider ? `Of the calls that this provider was tried for: ${FAILED_HINT.toLowerCase()}` : FAILED_HINT

/** "timeout 9, key rejected 2" */
const causesOf = ({ causes }: Failed): string =>
  causes.map(({ cause, calls }) => `${causeWord(cause)} ${count(calls)}`).join(', ')

const noteOf = (of: FailedFilter, failed: Failed) =>
  failed.failed === 0 ? 'none' : <Link href={hrefOf(of, failed)}>{causesOf(failed)}</Link>

export function FailedFigure({ label = 'Failed in 7 days', ...of }: FailedFilter & { label?: string }) {
  const failed = useFailed(of)
  return (
    <Figure
      label={label}
      value={<span title={hintOf(of)}>{failed ? countOf(failed) : '–'}</span>}
      note={failed && noteOf(of, failed)}
    />
  )
}

/** "12 (3 %): timeout 9, key rejected 2", as a link to the list. */
export function FailedFact(of: FailedFilter) {
  const failed = useFailed(of)
  if (!failed) return <span className="soft">–</span>
  if (failed.failed === 0) return <>none</>
  return (
    <Link href={hrefOf(of, failed)} title={hintOf(of)}>
      {countOf(failed)}: {causesOf(failed)}
    </Link>
  )
}
