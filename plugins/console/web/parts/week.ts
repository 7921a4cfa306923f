// The last seven days of an account, a key or a model on its page: the same figures as on the Overview, in the same time zone.
import { type AnswerOf, api } from '../app/client.ts'
import { useApi } from '../app/query.ts'
import { useZone } from '../app/zone.ts'

export type Week = AnswerOf<typeof api.overview.get>

/** @param of what the calls are of; it waits while `enabled` is false */
export function useWeek(of: { account?: string; key?: string; model?: string }, enabled = true) {
  const query = { ...of, range: '7' as const, zone: useZone() }
  return useApi(['overview', query], () => api.overview.get({ query }), { enabled })
}
