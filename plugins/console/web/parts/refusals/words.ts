// Refusals in words: the reason in short, and what to do about many of them, for the operator and for the account holder.
import type { Role } from '../../app/page-entry.ts'

interface Words {
  reason: string
  operator: string
  account: string
}

const ASK = 'Ask your operator'

const WORDS: Readonly<Record<string, Words>> = {
  insufficient_balance: {
    reason: 'not enough balance',
    operator: 'Add funds to the account, or raise the spend limit of the key.',
    account: `${ASK} to add funds, or raise the spend limit of the key.`,
  },
  OUTSTANDING_DEBT: {
    reason: 'account in debt',
    operator: 'Add funds to the account: they pay the debt first.',
    account: `${ASK} to add funds: they pay the debt first.`,
  },
  unauthenticated: {
    reason: 'revoked or expired key',
    operator: 'A key that was revoked or has expired is still in use. Issue a new one.',
    account: 'A key that was revoked or has expired is still in use. Create a new one, and use it instead.',
  },
  permission_denied: {
    reason: 'not allowed',
    operator: 'Check whether the account is suspended, and the allowed networks of the key.',
    account: 'Check the allowed networks of the key, and whether your account is suspended.',
  },
  MODEL_ACCESS_DENIED: {
    reason: 'model not allowed',
    operator: 'Allow the key to use the model, or use another key.',
    account: 'Allow the key to use the model, or use another key.',
  },
  model_not_found: {
    reason: 'model not found',
    operator: 'Correct the name of the model in the program that calls, or add the model.',
    account: 'Correct the name of the model in your program. The page Models lists those that you can call.',
  },
  model_unavailable: {
    reason: 'model out of service',
    operator: 'Set an API key for the provider of the model.',
    account: `${ASK} about this model, or use another one.`,
  },
  rate_limited: {
    reason: 'rate limit',
    operator: 'Raise the limits of the account or the key, if these are wanted requests.',
    account: `Send fewer requests a minute, or ask your operator for higher limits.`,
  },
  overloaded: {
    reason: 'gateway overloaded',
    operator: 'See System for what the gateway is short of.',
    account: 'Try again later.',
  },
}
const OTHER = {
  operator: 'Tell the developer of the program what it sends wrong.',
  account: 'Correct what your program sends.',
}

/** "not enough balance". */
export const refusalReason = (code: string): string =>
  WORDS[code]?.reason ?? code.toLowerCase().replaceAll('_', ' ')

export const refusalAdvice = (code: string, role: Role): string =>
  (WORDS[code] ?? OTHER)[role === 'operator' ? 'operator' : 'account']
