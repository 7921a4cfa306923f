// The state of a key at a moment.
import type { Key } from '../store/schema.ts'

/** The states of a key; `retiring`: it will be revoked, for another has taken its place. */
export const KEY_STATUSES = ['active', 'retiring', 'expired', 'revoked'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

/** The state of a key at a moment. */
export function keyStatus(key: Pick<Key, 'revoked_at_ms' | 'expires_at_ms'>, now_ms: number): KeyStatus {
  if (key.revoked_at_ms !== null && key.revoked_at_ms <= now_ms) return 'revoked'
  if (key.expires_at_ms !== null && key.expires_at_ms <= now_ms) return 'expired'
  return key.revoked_at_ms === null ? 'active' : 'retiring'
}
