// How many requests were refused, and why: as pages ask for it, and where the list of them is.
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { withQuery } from '../../console/web/parts/address-state.ts'

export type Refusals = AnswerOf<typeof api.refusals.get>

export interface RefusalsOf {
  range?: 'hour' | 'day' | 'week' | 'month'
  /** Its number or name. Absent: of all that the viewer sees. */
  account?: number | string | undefined
  key_id?: number | undefined
}

const EVERY_MS = 30_000

export function useRefusals({ range, account, key_id }: RefusalsOf) {
  const query = {
    range,
    account: account === undefined ? undefined : String(account),
    key: key_id === undefined ? undefined : String(key_id),
  }
  return useApi(['refusals', query], () => api.refusals.get({ query }), { every_ms: EVERY_MS })
}

/** The page that lists them. */
export const refusedHref = ({ account, key_id }: Pick<RefusalsOf, 'account' | 'key_id'>): string =>
  withQuery('/calls', {
    outcome: 'refused',
    account: account === undefined ? undefined : String(account),
    key: key_id === undefined ? undefined : String(key_id),
  })
