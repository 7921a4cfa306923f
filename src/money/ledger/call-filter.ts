// The filter of calls, and its values as the queries take them.

import type { Nanos } from '../../domain/money.ts'
import type { CallOutcome } from '../../domain/outcomes.ts'
import type { Db } from '../../store/db.ts'
import { keyPrefixQueries } from './queries.ts'

/** An absent field does not filter. */
export interface CallFilter {
  account_id?: number | undefined
  key_id?: number | undefined
  key_prefix?: string | undefined
  model?: string | undefined
  /** Calls that ended in one of these ways. */
  outcomes?: readonly CallOutcome[] | undefined
  provider?: string | undefined
  /** The least and the greatest HTTP status. */
  status?: { from: number; to: number } | undefined
  min_cost_nanos?: Nanos | undefined
  /** Calls that started at this time or later. */
  since_ms?: number | undefined
  /** Calls that started before this time. */
  until_ms?: number | undefined
}

/** Whether the kept sums say where calls that match can be: they have no providers, statuses and costs. */
export const isNarrowed = ({
  account_id,
  provider,
  status,
  min_cost_nanos,
  ...of_sums
}: CallFilter): boolean => Object.values(of_sums).some((value) => value !== undefined)

/** Whether it leaves any call of its account out. */
export const isFilter = ({ account_id, ...rest }: CallFilter): boolean =>
  Object.values(rest).some((value) => value !== undefined)

/** A filter as the prepared queries take it: null, or a time before or after all others, where it does not filter. */
export async function valuesOf(db: Db, filter: CallFilter) {
  const { account_id, key_id, key_prefix, model, outcomes, provider, status, min_cost_nanos } = filter
  const { since_ms, until_ms } = filter
  const of_prefix = key_prefix === undefined ? undefined : await keyPrefixQueries(db).ids.all({ key_prefix })
  const of_key = key_id === undefined ? undefined : [key_id]
  const key_ids = of_key ?? of_prefix?.map(({ id }) => id)
  return {
    account_id,
    key_ids: key_ids === undefined ? null : JSON.stringify(key_ids),
    model: model ?? null,
    outcomes: outcomes === undefined ? null : JSON.stringify(outcomes),
    provider: provider ?? null,
    status_from: status?.from ?? null,
    status_to: status?.to ?? null,
    min_cost_nanos: min_cost_nanos ?? null,
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
  }
}
