// The settings of a key: its name and its limits, and how they are checked.

import { checkAddresses } from '../domain/addresses.ts'
import { invalidRequest } from '../domain/errors.ts'
import type { Nanos } from '../domain/money.ts'
import { jsonOrNull } from '../store/placeholders.ts'
import { checkName } from './accounts.ts'
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
  /** The most that all its calls may cost together. */
  spend_limit_nanos: Nanos | null
  /** The most that its calls of a day may cost together, and those of a month (UTC). */
  daily_limit_nanos: Nanos | null
  monthly_limit_nanos: Nanos | null
  /** How many of its calls may run at the same time. */
  concurrent_calls: number | null
  /** Addresses and CIDR blocks. */
  addresses: readonly string[] | null
  expires_at_ms: number | null
}

export const NO_LIMITS: KeyLimits = Object.freeze({
  models: null,
  spend_limit_nanos: null,
  daily_limit_nanos: null,
  monthly_limit_nanos: null,
  concurrent_calls: null,
  addresses: null,
  expires_at_ms: null,
})

/** The settings of a new key. What is left out is not limited. */
export type NewKeySettings = Pick<KeySettings, 'name'> & Partial<KeyLimits>

/** As many as the table takes. */
export const MAX_CONCURRENT_CALLS = 1_000_000

/** As the table has them. */
export const columnsOf = (settings: KeySettings) => ({
  name: settings.name,
  models: jsonOrNull(settings.models),
  spend_limit_nanos: settings.spend_limit_nanos,
  daily_limit_nanos: settings.daily_limit_nanos,
  monthly_limit_nanos: settings.monthly_limit_nanos,
  concurrent_calls: settings.concurrent_calls,
  addresses: jsonOrNull(settings.addresses),
  expires_at_ms: settings.expires_at_ms,
})

/** @throws GatewayError invalid_request for a setting that is malformed */
export function checkSettings(settings: KeySettings, now_ms: number): void {
  const { name, models, addresses, expires_at_ms, concurrent_calls } = settings
  checkName(name)
  if (models) checkModelPatterns(models)
  for (const limit of ['spend_limit', 'daily_limit', 'monthly_limit'] as const) {
    const nanos = settings[`${limit}_nanos`]
    if (nanos !== null && !isCount(nanos))
      throw invalidRequest(`${limit}: must be 0 USD or more.`, { param: limit })
  }
  if (concurrent_calls !== null && !(isCount(concurrent_calls) && isWithin(concurrent_calls)))
    throw invalidRequest(`concurrent_calls: must be a whole number from 1 to ${MAX_CONCURRENT_CALLS}.`, {
      param: 'concurrent_calls',
    })
  if (addresses) checkAddresses(addresses)
  if (expires_at_ms !== null && !(isCount(expires_at_ms) && expires_at_ms > now_ms))
    throw invalidRequest('expires: must be a time in the future.', { param: 'expires' })
}

/** A whole number that is counted exactly. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const isWithin = (calls: number): boolean => calls >= 1 && calls <= MAX_CONCURRENT_CALLS

/** Whether a key has any limit of its own: it was made for somebody or something that may do less than its account. */
export const isLimited = (key: KeyLimits): boolean =>
  Object.keys(NO_LIMITS).some((name) => key[name as keyof KeyLimits] !== null)
