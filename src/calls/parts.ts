// The parts that every call through the gateway is made of, each injected.
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
  /** Other gateways may serve the same database, and count with this one. */
  is_shared: boolean
  upstream: DispatchDeps
  protocols: Registry
  running: RunningCalls
  idempotency: Idempotency
  /** Why no call may begin that costs something, in words that anybody may read; undefined while they may. */
  closed: () => string | undefined
  /** The parts that read large bodies. */
  bodies: BodyParts
  /** The part of a provider's message that callers may read. */
  publicWords: (message: string) => string
}
