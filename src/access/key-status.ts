// The status of a key at a time, and the rest of its total spend limit.
import type { Nanos } from '../domain/money.ts'
import type { Key } from '../store/schema.ts'

/** `retiring`: a rotation has replaced the key, and it will be revoked after the grace period. */
export const KEY_STATUSES = ['active', 'retiring', 'expired', 'revoked'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

export function keyStatus(key: Pick<Key, 'revoked_at_ms' | 'expires_at_ms'>, now_ms: number): KeyStatus {
  if (key.revoked_at_ms !== null && key.revoked_at_ms <= now_ms) return 'revoked'
  if (key.expires_at_ms !== null && key.expires_at_ms <= now_ms) return 'expired'
  return key.revoked_at_ms === null ? 'active' : 'retiring'
}

export const isUsable = (key: Parameters<typeof keyStatus>[0], now_ms: number): boolean =>
  ['active', 'retiring'].includes(keyStatus(key, now_ms))

/** The rest of a key's total spend limit; null: no limit. */
export const remainingOf = ({
  spend_limit_nanos,
  spent_nanos,
  held_nanos,
}: Pick<Key, 'spend_limit_nanos' | 'spent_nanos' | 'held_nanos'>): Nanos | null =>
  spend_limit_nanos === null ? null : Math.max(0, spend_limit_nanos - spent_nanos - held_nanos)
