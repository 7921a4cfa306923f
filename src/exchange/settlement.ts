// Owns how a held call ends: its hold is posted or voided exactly once, with the call's record and its line in the log.
import type { Caller } from '../access/gate.ts'
import { formatUsd, type Nanos } from '../domain/money.ts'
import { NO_USAGE, type Usage } from '../domain/usage.ts'
import type { CallRecord, Ledger, Outcome } from '../ledger/operations.ts'
import type { Logger } from '../observe/log.ts'
import type { Charge } from '../pricing/charge.ts'
import type { Attempt } from '../upstream/routes.ts'

export interface SettlementDeps {
  ledger: Ledger
  log: Logger
  now: () => number
  /** Told of each step that was passed; for tests of crashes. */
  probe: (point: string) => void
}

/** What is known of a call from its hold on. */
export interface HeldCall {
  hold_id: number
  request_id: string
  surface: string
  model_id: string
  streamed: boolean
  caller: Caller
  started_ms: number
}

/** What a call is charged for. */
export interface Delivered {
  outcome: CallRecord['outcome']
  charge: Charge
  usage: Usage
  /** The usage is the gateway's own estimate. */
  estimated: boolean
  images?: number
}

export interface Settlement {
  /** An upstream has begun to answer. */
  reached(attempt: Attempt): void
  /**
   * Charges for what was delivered. Resolves when that is on the disk.
   * @throws GatewayError when it could not be recorded; the hold then waits for the sweep
   */
  post(delivered: Delivered): Promise<void>
  /** Gives back all that is held. Does nothing for a call that is already resolved. */
  voidHold(outcome: CallRecord['outcome'], status: number): Promise<void>
}

/** The caller left before his answer: the status that nginx made customary for it. */
export const CLIENT_CLOSED_REQUEST = 499

/** The settlement of one held call. */
export function openSettlement({ ledger, log, now, probe }: SettlementDeps, held: HeldCall): Settlement {
  let resolved = false
  let attempt: Attempt | undefined
  let first_byte_ms: number | null = null

  function record(outcome: CallRecord['outcome'], status: number, delivered?: Delivered): CallRecord {
    return {
      surface: held.surface,
      model: held.model_id,
      provider: attempt?.provider.name ?? '',
      upstream_model: attempt?.model ?? '',
      outcome,
      status,
      streamed: held.streamed ? 1 : 0,
      estimated: delivered?.estimated ? 1 : 0,
      ...(delivered?.usage ?? NO_USAGE),
      images: delivered?.images ?? 0,
      price: delivered?.charge.snapshot ?? '',
      started_at_ms: held.started_ms,
      first_byte_ms,
      duration_ms: now() - held.started_ms,
    }
  }

  function conclude(call: CallRecord, cost_nanos: Nanos, result: Outcome): void {
    const { caller, request_id, hold_id } = held
    const { surface, model, provider, outcome, status, duration_ms, estimated } = call
    const fields = {
      request_id,
      account: caller.account.name,
      key: caller.key.prefix,
      surface,
      model,
      provider,
      outcome,
      status,
      duration_ms,
    }
    log.info(
      { ...fields, cost_usd: formatUsd(cost_nanos), ...(estimated ? { estimated: true } : {}) },
      'call',
    )
    if (!result.ok)
      log.error(
        { request_id, hold_id, refusal: result.refusal, cost_usd: formatUsd(cost_nanos) },
        'a call outlived its hold: its cost is lost',
      )
  }

  return {
    reached(reached) {
      attempt = reached
      first_byte_ms = now() - held.started_ms
    },
    async post(delivered) {
      if (resolved) return
      resolved = true
      const { cost_nanos } = delivered.charge
      const call = record(
        delivered.outcome,
        delivered.outcome === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200,
        delivered,
      )
      probe('settling')
      const result = await ledger.submit({
        op: 'post',
        hold_id: held.hold_id,
        cost_nanos,
        call,
        now_ms: now(),
      })
      probe('settled')
      conclude(call, cost_nanos, result)
    },
    async voidHold(outcome, status) {
      if (resolved) return
      resolved = true
      const call = record(outcome, status)
      const result = await ledger.submit({ op: 'void', hold_id: held.hold_id, call, now_ms: now() })
      conclude(call, 0, result)
    },
  }
}
