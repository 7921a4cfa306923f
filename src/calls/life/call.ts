// A call from admission to end, in one record: each step reads the earlier fields and adds its own.
import type { Caller, KeyOfAccount } from '../../access/gate.ts'
import type { Lease } from '../../access/limits.ts'
import type { SpendLeft } from '../../domain/budgets.ts'
import type { Model } from '../../domain/catalogue.ts'
import type { Nanos } from '../../domain/money.ts'
import type { RenderError } from '../../http/answers.ts'
import type { Arriving } from '../../http/sockets.ts'
import type { HoldLimits } from '../../money/ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { RunningCall } from './running.ts'
import type { Trace } from './trace.ts'

/** Facts about a request, gathered for its record if it is refused. Copies of an origin share the object. */
export interface RefusalFacts {
  caller?: KeyOfAccount
  /** As the caller wrote it. */
  model?: string
  /** The hold was made: the request is a call, which has its own record. */
  is_call?: true
}

/** A call as its surface knows it before the body is read. */
export interface CallOrigin extends Arriving {
  request_id: string
  surface: string
  credential: string | undefined
  /** Renders an error in the surface's format. The status is recorded with a failed call. */
  render: RenderError
  /** A second name for the header with the request id. */
  id_header?: string | undefined
  /** The gateway itself reads the answer; it does not go directly into the caller's socket. */
  read_by?: 'gateway'
  known: RefusalFacts
}

type Release = () => void | Promise<void>

/** The fields known at admission. */
export interface CallStart extends Pick<Call, 'origin' | 'caller' | 'place' | 'started_ms'> {
  /** Released at the end of the call, with the tokens that it used. */
  lease: Lease
  log: Logger
}

/** A call. Every call has the same object shape, whatever its outcome. */
export class Call<O extends PaidOrder = PaidOrder> {
  readonly origin: CallOrigin
  readonly caller: Caller
  readonly place: RunningCall
  readonly started_ms: number
  /** Counts the call against a rate once no kept answer applies. @throws GatewayError rate_limited */
  count_later: (() => Promise<void>) | undefined
  /** The caller's bytes if a hook changed the body and the request has an Idempotency-Key. */
  sent_bytes: Uint8Array | undefined
  /** The tokens that it used, for the limits; 0 until settlement. */
  used_tokens = 0

  // Set by the hold.
  order!: O
  /** The id of the hold, and later of the call's record. */
  hold_id = 0
  held_nanos: Nanos = 0
  /** The amount counted against the plan that covers the call; then the balance holds nothing. */
  covered_nanos: Nanos = 0
  plan_period_id: number | null = null
  /** The remaining amount of the tightest spend limit that applies; undefined without one. */
  spend_left: SpendLeft | undefined
  /** The limits of the hold and its tokens, counted in the database; undefined if only this process counts. */
  limits: HoldLimits | undefined
  /** The hold that a sufficient balance would have allowed. */
  ceiling_nanos: Nanos = 0
  /** The trace, which is written into the call's record. */
  trace!: Trace

  // Set by the first attempt.
  /** The recorded attempt: the last that answered. */
  attempt: Attempt | undefined
  /** The attempt that was running when the caller disconnected: its provider may have the request. */
  abandoned_attempt: Attempt | undefined
  /** The time from the start to the first answer. */
  first_byte_ms: number | null = null

  // Set by the settlement, which happens once.
  is_resolved = false
  /** The caller pays for some part of the call. */
  is_charged = false

  #is_kept_open = false
  #has_ended = false
  #releases: Release[] | undefined
  readonly #lease: Lease
  readonly #log: Logger

  constructor({ origin, caller, place, started_ms, lease, log }: CallStart) {
    this.origin = origin
    this.caller = caller
    this.place = place
    this.started_ms = started_ms
    this.#lease = lease
    this.#log = log
  }

  /** Registers a function for the end of the call; the latest runs first. If it throws, that is logged, and the others still run. */
  defer(release: Release): void {
    this.#releases ??= []
    this.#releases.push(release)
  }

  /** Keeps the call open beyond its handler until `end`, for a streamed answer. */
  keepOpen(): void {
    this.#is_kept_open = true
  }

  /** Ends the call after its handler, unless it was kept open. */
  handled(): Promise<void> | undefined {
    return this.#is_kept_open ? undefined : this.end()
  }

  /** Releases everything that the call has taken and reserved; once. */
  end(): Promise<void> | undefined {
    if (this.#has_ended) return undefined
    this.#has_ended = true
    if (this.#releases) return this.#release(this.#releases)
    this.#leave()
    return undefined
  }

  async #release(releases: Release[]): Promise<void> {
    for (const release of releases.reverse()) {
      try {
        await release()
      } catch (cause) {
        this.#log.error({ request_id: this.origin.request_id, cause }, 'a call could not be cleaned up')
      }
    }
    this.#leave()
  }

  #leave(): void {
    this.#lease.release(this.used_tokens)
    this.place.done()
  }
}

/** An admitted call, before its order is known. */
export type Admitted = Omit<Call, 'order' | 'trace'>

/** The part of a held call that remains after its body is released. */
export interface RecordedCall extends Pick<Call, 'caller' | 'hold_id' | 'held_nanos' | 'plan_period_id'> {
  readonly origin: Pick<CallOrigin, 'request_id' | 'surface' | 'request'>
  readonly order: Pick<PaidOrder, 'model' | 'streams'>
  /** The recorded attempt: the last that answered. */
  readonly attempt: Attempt | undefined
}

/** A call with a hold. */
export type Held<O extends PaidOrder = PaidOrder> = Call<O>

/** A request that is read, with its model. */
export interface PaidOrder<M extends Model = Model> {
  model: M
  streams: boolean
  /** Distinguishes this request from another one with the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
  /** Some of its content cannot be counted: the hold covers all that the model can read. */
  is_uncounted?: boolean
}
