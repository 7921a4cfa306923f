// The last seven days of an account, a key or a model on its page: the same figures as on the Overview, in the same time zone.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useZone } from '../../console/web/app/zone.ts'
import type { CallsFilter } from './filters.tsx'

/** Undefined until it is known. @param of what the calls are of */
export function useWeek(of: CallsFilter) {
  const query = { ...of, range: '7' as const, zone: useZone() }
  return useApi(['overview', query], () => api.overview.get({ query })).data
}
