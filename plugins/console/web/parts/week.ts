// Figures of the last seven days for the page of an account, a key or a model; the same as on the Overview.
import { type AnswerOf, api } from '../app/client.ts'
import { useApi } from '../app/query.ts'
import { useZone } from '../app/zone.ts'

export type Week = AnswerOf<typeof api.overview.get>

/** @param of the account, key or model of the calls @param enabled the query is not sent while this is false */
export function useWeek(of: { account?: string; key?: string; model?: string }, enabled = true) {
  const query = { ...of, range: '7' as const, zone: useZone() }
  return useApi(['overview', query], () => api.overview.get({ query }), { enabled })
}
