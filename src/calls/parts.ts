// The dependencies of every call through the gateway, all injected.
import type { Gate } from '../access/gate.ts'
import type { Limiter } from '../access/limits.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { Registry } from '../protocols/registry.ts'
import type { DispatchDeps } from '../upstream/dispatch.ts'
import type { BodyParts } from './bodies/parts.ts'
import type { RunningCalls } from './life/running.ts'
import type { SettlementParts } from './settling/settlement.ts'

export interface CallParts extends SettlementParts {
  gate: Gate
  limiter: Limiter
  /** Whether other gateways may serve the same database, and count together with this one. */
  is_shared: boolean
  upstream: DispatchDeps
  protocols: Registry
  running: RunningCalls
  idempotency: Idempotency
  /** Returns why no call with a cost may start, in words that callers may read; undefined if calls may start. */
  closed: () => string | undefined
  /** The dependencies for reading large bodies. */
  bodies: BodyParts
  /** Returns the part of a provider's message that callers may read. */
  publicWords: (message: string) => string
}
