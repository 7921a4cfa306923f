// Refused requests for pages: the query of counts and reasons, links to lists, and texts for reasons and advice.

import type { ReportRange } from '../../../src/domain/ranges.ts'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import type { ViewerKind } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { withQuery } from '../../console/web/parts/address-state.ts'

interface Words {
  reason: string
  operator: string
  account: string
}

const ASK = 'Ask your operator'

const WORDS: Readonly<Record<string, Words>> = {
  insufficient_balance: {
    reason: 'balance or spend limit too low',
    operator: 'Top up the account, or raise the spend limit of the key or the account.',
    account: `${ASK} to add funds, or raise the spend limit of your key.`,
  },
  OUTSTANDING_DEBT: {
    reason: 'account in debt',
    operator: 'Add funds to the account. They pay the debt first.',
    account: `${ASK} to add funds. They pay the debt first.`,
  },
  unauthenticated: {
    reason: 'revoked or expired key',
    operator: 'A revoked or expired key is still in use. Create a new one.',
    account: 'A revoked or expired key is still in use. Create a new one, and use it instead.',
  },
  permission_denied: {
    reason: 'not allowed',
    operator: 'Check whether the account is suspended, and which networks the key allows.',
    account: 'Check which networks the key allows, and whether your account is suspended.',
  },
  MODEL_ACCESS_DENIED: {
    reason: 'model not allowed',
    operator: 'Allow the key to use the model, or use another key.',
    account: 'Allow the key to use the model, or use another key.',
  },
  model_not_found: {
    reason: 'model not found',
    operator: 'Correct the model’s name in the calling program, or add the model.',
    account: 'Correct the model’s name in your program. Models lists those that you can call.',
  },
  model_unavailable: {
    reason: 'model out of service',
    operator: 'Set an API key for the model’s provider.',
    account: `${ASK} about this model, or use another one.`,
  },
  rate_limited: {
    reason: 'rate limit',
    operator: 'If you want these requests, raise the limits of the account or the key.',
    account: `Send fewer requests a minute, or ask your operator for higher limits.`,
  },
  overloaded: {
    reason: 'gateway overloaded',
    operator: 'See System for what the gateway runs short of.',
    account: 'Try again later.',
  },
}
const OTHER = {
  operator: 'Tell the program’s developer what it sends wrong.',
  account: 'Correct what your program sends.',
}

export const refusalReason = (code: string): string =>
  WORDS[code]?.reason ?? code.toLowerCase().replaceAll('_', ' ')

export const refusalAdvice = (code: string, side: ViewerKind): string =>
  (WORDS[code] ?? OTHER)[side === 'operator' ? 'operator' : 'account']

export type Refusals = AnswerOf<typeof api.refusals.get>

export interface RefusalQuery {
  range?: 'hour' | 'day' | 'week' | 'month' | ReportRange | undefined
  /** Bounds instead of a range: dates or times. */
  since?: string | undefined
  until?: string | undefined
  zone?: string | undefined
  /** Id or name; absent for all accounts that the viewer may see. */
  account?: number | string | undefined
  key_id?: number | string | undefined
}

const EVERY_MS = 30_000

export function useRefusals({ range, since, until, zone, account, key_id }: RefusalQuery) {
  const query = {
    ...{ range, since, until, zone },
    account: account === undefined ? undefined : String(account),
    key: key_id === undefined ? undefined : String(key_id),
  }
  return useApi(['refusals', query], () => api.refusals.get({ query }), { every_ms: EVERY_MS })
}

export const refusedHref = ({
  account,
  key_id,
  since,
  until,
}: Omit<RefusalQuery, 'range' | 'zone'>): string =>
  withQuery('/calls', {
    outcome: 'refused',
    ...{ since, until },
    account: account === undefined ? undefined : String(account),
    key: key_id === undefined ? undefined : String(key_id),
  })
