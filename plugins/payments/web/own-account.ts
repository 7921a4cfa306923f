// The viewer's own account on pages of payments: its balance, and whether it has made a call.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'

/** As "Get started" reads it, so that actions that add funds refresh both. */
export const useOwnAccount = (enabled = true) =>
  useApi(['start', ''], () => api.start.get({ query: {} }), { enabled })
