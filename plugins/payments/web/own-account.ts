// The viewer's own account: its balance, and whether it has made a call.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'

/** Uses the query key of "Get started", so that actions that add funds refresh both. */
export const useOwnAccount = (enabled = true) =>
  useApi(['start', ''], () => api.start.get({ query: {} }), { enabled })
