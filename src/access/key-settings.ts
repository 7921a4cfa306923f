// The settings of a key, its name and limits, and their validation.
import { checkAddresses } from '../domain/addresses.ts'
import { invalidRequest } from '../domain/errors.ts'
import type { Nanos } from '../domain/money.ts'
import { jsonOrNull } from '../store/placeholders.ts'
import { checkName } from './accounts.ts'
import type { BudgetChanges } from './budgets.ts'
import { checkModelPatterns } from './model-patterns.ts'

/** A key's name and limits. */
export interface KeySettings extends KeyLimits {
  /** Unique among the keys of its account that are not revoked. */
  name: string
}

/** The limits of a key; null: not limited. */
interface KeyLimits {
  /** Glob patterns of model ids. */
  models: readonly string[] | null
  /** Maximum total cost of its calls. */
  spend_limit_nanos: Nanos | null
  /** Maximum number of concurrent calls. */
  concurrent_calls: number | null
  /** Addresses and CIDR blocks. */
  addresses: readonly string[] | null
  expires_at_ms: number | null
}

export const NO_LIMITS: KeyLimits = Object.freeze({
  models: null,
  spend_limit_nanos: null,
  concurrent_calls: null,
  addresses: null,
  expires_at_ms: null,
})

interface Budgeted {
  /** Spend limits by period, which are stored in separate rows. */
  budgets?: BudgetChanges | undefined
}

/** The settings of a new key; absent limits do not apply. */
export type NewKeySettings = Pick<KeySettings, 'name'> & Partial<KeyLimits> & Budgeted & KeyOwner

interface KeyOwner {
  /** The owner of the key; absent for a key of the account itself. */
  person_id?: number | null
}

/** The settings to change. */
export type KeyChanges = Partial<KeySettings> & Budgeted

/** Same limit as in the table. */
export const MAX_CONCURRENT_CALLS = 1_000_000

/** Converts settings to columns. */
export const columnsOf = (settings: KeySettings) => ({
  name: settings.name,
  models: jsonOrNull(settings.models),
  spend_limit_nanos: settings.spend_limit_nanos,
  concurrent_calls: settings.concurrent_calls,
  addresses: jsonOrNull(settings.addresses),
  expires_at_ms: settings.expires_at_ms,
})

/** @throws GatewayError invalid_request for a malformed setting */
export function checkSettings(settings: KeySettings, now_ms: number): void {
  const { name, models, spend_limit_nanos, addresses, expires_at_ms, concurrent_calls } = settings
  checkName(name)
  if (models) checkModelPatterns(models)
  if (spend_limit_nanos !== null && !isCount(spend_limit_nanos))
    throw invalidRequest('spend_limit: must be 0 USD or more.', { param: 'spend_limit' })
  if (concurrent_calls !== null && !(isCount(concurrent_calls) && isWithin(concurrent_calls)))
    throw invalidRequest(`concurrent_calls: must be a whole number from 1 to ${MAX_CONCURRENT_CALLS}.`, {
      param: 'concurrent_calls',
    })
  if (addresses) checkAddresses(addresses)
  if (expires_at_ms !== null && !(isCount(expires_at_ms) && expires_at_ms > now_ms))
    throw invalidRequest('expires: must be a time in the future.', { param: 'expires' })
}

/** Whether a value is a safe non-negative integer. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const isWithin = (calls: number): boolean => calls >= 1 && calls <= MAX_CONCURRENT_CALLS

/** Whether a key has any limit, which means that its user may do less than the account. */
export const isLimited = (key: KeyLimits & { has_budgets: number }): boolean =>
  key.has_budgets === 1 || Object.keys(NO_LIMITS).some((name) => key[name as keyof KeyLimits] !== null)
