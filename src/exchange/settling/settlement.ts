// The end of a held call: its hold is posted or voided exactly once, with the call's record and its line in the log.
import { overloaded } from '../../domain/errors.ts'
import { formatUsd, type Nanos } from '../../domain/money.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import type { CallRecord, Ledger, Outcome, PostOperation, VoidOperation } from '../../ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import type { Attempt } from '../../upstream/routes.ts'
import { type HeldCall, openedHold } from '../life/held-call.ts'
import type { Trace } from '../life/trace.ts'
import type { Activity } from './activity.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from './end.ts'
import { costsOf } from './provider-cost.ts'
import type { SettlementQueue } from './queue.ts'

export interface SettlementParts {
  ledger: Ledger
  /** Takes over what the ledger cannot write at the moment. */
  settlements: SettlementQueue
  activity: Activity
  log: Logger
  now: () => number
  /** Told of each step that was passed; for tests of crashes. */
  probe: (point: string) => void
}

export interface Settlement {
  /** What happened to the call: written into its record. */
  readonly trace: Trace
  /** The attempt that goes into the call's record: the last one that answered. */
  readonly attempt: Attempt | undefined
  /** An upstream has begun to answer. */
  reached(attempt: Attempt): void
  /** The caller left while this attempt was under way, and its provider may have the request. */
  abandoned(attempt: Attempt): void
  /** That attempt; undefined if there was none. */
  readonly abandoned_attempt: Attempt | undefined
  /**
   * Charges for what was delivered. Resolves when that is on the disk.
   *
   * @throws GatewayError when it could not be recorded. Where the caller has got some of it, or has left, it is then
   * tried again until it is recorded, as a broken answer; one of which nothing was given out is not, and may be voided
   */
  post(delivered: Delivered): Promise<void>
  /**
   * Voids the hold: all of it is free again. Does nothing for a call that is already resolved. Never rejects: where it
   * cannot be recorded, it is tried again until it is.
   */
  voidHold(end: Undelivered): Promise<void>
}

/** The settlement of one held call. */
export const openSettlement = (parts: SettlementParts, held: HeldCall, trace: Trace): Settlement =>
  new CallSettlement(parts, held, trace)

class CallSettlement implements Settlement {
  readonly trace: Trace
  readonly #parts: SettlementParts
  readonly #held: HeldCall
  #resolved = false
  #first_byte_ms: number | null = null
  attempt: Attempt | undefined
  abandoned_attempt: Attempt | undefined

  constructor(parts: SettlementParts, held: HeldCall, trace: Trace) {
    this.trace = trace
    this.#parts = parts
    this.#held = held
    parts.activity.held(held)
  }

  reached(attempt: Attempt): void {
    this.attempt = attempt
    // Several requests may make up one call; the first to answer counts.
    if (this.#first_byte_ms !== null) return
    const after_ms = this.#parts.now() - this.#held.started_ms
    this.#first_byte_ms = after_ms
    this.#parts.activity.firstByte(this.#held, after_ms)
  }

  abandoned(attempt: Attempt): void {
    this.attempt = attempt
    this.abandoned_attempt = attempt
  }

  async post(delivered: Delivered): Promise<void> {
    if (this.#resolved) return
    this.#resolved = true
    const parts = this.#parts
    const held = this.#held
    parts.probe('settling')
    const operation = this.#postOf(delivered)
    let result: Outcome
    try {
      result = await parts.ledger.submit(operation)
    } catch (cause) {
      reportFailure(parts, held, operation, cause)
      this.#resolved = delivered.given_out === true || delivered.outcome === 'cancelled'
      if (!this.#resolved) throw cause
      enqueue(parts, held, withoutEnd(operation))
      throw chargedLater(operation, cause)
    }
    conclude(parts, held, operation, result)
    parts.probe('settled')
  }

  async voidHold(end: Undelivered): Promise<void> {
    if (this.#resolved) return
    this.#resolved = true
    const parts = this.#parts
    const held = this.#held
    const operation = this.#voidOf(end)
    // It would only fail, after a wait: callers need not wait for that.
    if (parts.ledger.failing !== undefined) return enqueue(parts, held, operation)
    let result: Outcome
    try {
      result = await parts.ledger.submit(operation)
    } catch (cause) {
      reportFailure(parts, held, operation, cause)
      return enqueue(parts, held, operation)
    }
    conclude(parts, held, operation, result)
  }

  #postOf(delivered: Delivered): PostOperation {
    const now_ms = this.#parts.now()
    this.trace.ended(delivered)
    const status = delivered.outcome === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200
    return {
      op: 'post',
      hold_id: this.#held.hold_id,
      cost_nanos: delivered.charge.cost_nanos,
      call: this.#recordOf(delivered.outcome, status, now_ms, delivered),
      now_ms,
    }
  }

  #voidOf(end: Undelivered): VoidOperation {
    const { outcome, status } = end
    const now_ms = this.#parts.now()
    this.trace.ended(end)
    return { op: 'void', hold_id: this.#held.hold_id, call: this.#recordOf(outcome, status, now_ms), now_ms }
  }

  #recordOf(
    outcome: CallRecord['outcome'],
    status: number,
    now_ms: number,
    delivered?: Delivered,
  ): CallRecord {
    const held = this.#held
    const usage = delivered?.usage ?? NO_USAGE
    const costs = costsOf(delivered, this.attempt, this.trace.failed_cost_nanos)
    return {
      surface: held.surface,
      model: held.model_id,
      provider: this.attempt?.provider.name ?? '',
      upstream_model: this.attempt?.model ?? '',
      outcome,
      status,
      streamed: held.streamed ? 1 : 0,
      estimated: delivered?.estimated ? 1 : 0,
      // Field by field: every call comes this way, and a spread takes a microsecond.
      input_tokens: usage.input_tokens,
      input_audio_tokens: usage.input_audio_tokens,
      cache_read_tokens: usage.cache_read_tokens,
      cache_write_5m_tokens: usage.cache_write_5m_tokens,
      cache_write_1h_tokens: usage.cache_write_1h_tokens,
      output_tokens: usage.output_tokens,
      thinking_tokens: usage.thinking_tokens,
      output_image_tokens: usage.output_image_tokens,
      images: delivered?.images ?? 0,
      provider_cost_nanos: costs.provider_cost_nanos,
      reported_cost_nanos: costs.reported_cost_nanos,
      computed_cost_nanos: costs.computed_cost_nanos,
      price: delivered?.charge.snapshot ?? '',
      started_at_ms: held.started_ms,
      first_byte_ms: this.#first_byte_ms,
      duration_ms: now_ms - held.started_ms,
      failed_tries: this.trace.failed_tries + (outcome === 'broken' ? 1 : 0),
      trace: this.trace.text(),
    }
  }
}

/** The same for an answer whose end is withheld, because it could not be paid in time. */
function withoutEnd(operation: PostOperation): PostOperation {
  const { call } = operation
  return call.outcome === 'completed' ? { ...operation, call: { ...call, outcome: 'broken' } } : operation
}

const costOf = (operation: PostOperation | VoidOperation): Nanos =>
  operation.op === 'post' ? operation.cost_nanos : 0

/** What is told about a call once the ledger has answered: as charged where it is, and otherwise that it is not. */
function conclude(
  { log, activity }: SettlementParts,
  held: HeldCall,
  operation: PostOperation | VoidOperation,
  result: Outcome,
): void {
  const { caller, request_id, hold_id } = held
  const { surface, model, provider, outcome, status, duration_ms, estimated } = operation.call
  const cost_usd = formatUsd(costOf(operation))
  if (!result.ok) {
    log.error(
      { request_id, hold_id, refusal: result.refusal, cost_usd },
      'hold already resolved; cost not charged',
    )
    return
  }
  log.info(
    {
      request_id,
      account: caller.account.name,
      key: caller.key.prefix,
      surface,
      model,
      provider,
      outcome,
      status,
      duration_ms,
      cost_usd,
      // Not in the line where it is undefined.
      estimated: estimated ? true : undefined,
    },
    'call',
  )
  activity.settled(held, operation)
}

const fieldsOf = ({ request_id, hold_id }: HeldCall, operation: PostOperation | VoidOperation) => ({
  request_id,
  hold_id,
  cost_usd: formatUsd(costOf(operation)),
})

function reportFailure(
  { log }: SettlementParts,
  held: HeldCall,
  operation: PostOperation | VoidOperation,
  cause: unknown,
): void {
  log.error({ ...fieldsOf(held, operation), cause }, 'a settlement failed')
}

function enqueue(parts: SettlementParts, held: HeldCall, operation: PostOperation | VoidOperation): void {
  parts.settlements.add({
    operation,
    hold: openedHold(held),
    fields: fieldsOf(held, operation),
    written(outcome) {
      if (outcome.ok) return conclude(parts, held, operation, outcome)
      // A commit that failed may have been made all the same; then it was this settlement that resolved the hold.
      parts.log.warn(
        { ...fieldsOf(held, operation), refusal: outcome.refusal },
        'hold already resolved, by an earlier try or its expiry',
      )
    },
  })
}

const chargedLater = ({ call }: PostOperation, cause: unknown) =>
  overloaded(
    call.images > 0
      ? 'The gateway cannot record calls at the moment. The images are stored and will be charged: GET /api/images/history lists them.'
      : 'The gateway cannot record calls at the moment, so the end of this answer is withheld. The answer will be charged.',
    { code: 'ledger_unavailable', retry_after_s: 1, cause },
  )
