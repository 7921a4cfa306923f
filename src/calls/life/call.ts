// A call from its admission to its end, in one record: each step reads what is known by then, and adds what it came to.
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

/** Facts about a request, gathered for its record if it is refused. One object, also where an origin is copied. */
export interface KnownOfRequest {
  caller?: KeyOfAccount
  /** As the caller wrote it. */
  model?: string
  /** Money was held: it is a call, which has a record of its own. */
  is_call?: true
}

/** A call as its surface knows it before the body is read. */
export interface CallOrigin extends Arriving {
  request_id: string
  surface: string
  credential: string | undefined
  /** How the surface writes an error: the status is recorded with a call that failed. */
  render: RenderError
  /** A further name of the header that carries the request's id. */
  id_header?: string | undefined
  /** Its answer does not go into the socket that it came over as it is: the gateway reads it. */
  read_by?: 'gateway'
  known: KnownOfRequest
}

type Release = () => void | Promise<void>

/** The first parts of a call. */
export interface CallStart extends Pick<Call, 'origin' | 'caller' | 'place' | 'started_ms'> {
  /** Released at its end, with the tokens that it used. */
  lease: Lease
  log: Logger
}

/** Of the same shape for every call, whatever becomes of it. */
export class Call<O extends PaidOrder = PaidOrder> {
  readonly origin: CallOrigin
  readonly caller: Caller
  readonly place: RunningCall
  readonly started_ms: number
  /** Counts the call against a rate, once it is known that no kept answer answers it. @throws GatewayError rate_limited */
  count_later: (() => Promise<void>) | undefined
  /** The caller's own bytes, where a hook has changed the body and there is an Idempotency-Key. */
  sent_bytes: Uint8Array | undefined
  /** Tokens that it used, for the limits; 0 until it is settled. */
  used_tokens = 0

  // From its hold on.
  order!: O
  /** The id of the hold, and of the call's record once there is one. */
  hold_id = 0
  held_nanos: Nanos = 0
  /** The amount that it counts against the plan that covers it; the balance holds nothing then. */
  covered_nanos: Nanos = 0
  plan_period_id: number | null = null
  /** The remaining amount of the tightest limit of spending that it counts against; undefined without one. */
  spend_left: SpendLeft | undefined
  /** The limits of its hold and tokens, counted in the database; undefined where this process alone counts. */
  limits: HoldLimits | undefined
  /** The hold that a sufficient balance would have allowed. */
  ceiling_nanos: Nanos = 0
  /** Its trace, which is written into its record. */
  trace!: Trace

  // From the first attempt on.
  /** The attempt in its record: the last that answered. */
  attempt: Attempt | undefined
  /** The attempt under way when the caller left: its provider may have the request. */
  abandoned_attempt: Attempt | undefined
  /** From its start to the first answer. */
  first_byte_ms: number | null = null

  // From its settlement on, of which there is one.
  is_resolved = false
  /** Its caller pays for something. */
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

  /** Runs when the call is over, the latest first. What it throws is logged, and stops nothing else. */
  defer(release: Release): void {
    this.#releases ??= []
    this.#releases.push(release)
  }

  /** Keeps the call open beyond its handler, for an answer that streams, until `end`. */
  keepOpen(): void {
    this.#is_kept_open = true
  }

  /** Ends the call after its handler, unless it was kept open. */
  handled(): Promise<void> | undefined {
    return this.#is_kept_open ? undefined : this.end()
  }

  /** Releases all that the call has taken and reserved; once. */
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

/** An admitted call: its order is not known yet. */
export type Admitted = Omit<Call, 'order' | 'trace'>

/** The part of a held call that outlives its body. */
export interface RecordedCall extends Pick<Call, 'caller' | 'hold_id' | 'held_nanos' | 'plan_period_id'> {
  readonly origin: Pick<CallOrigin, 'request_id' | 'surface' | 'request'>
  readonly order: Pick<PaidOrder, 'model' | 'streams'>
  /** The attempt in its record: the last that answered. */
  readonly attempt: Attempt | undefined
}

/** A call whose money is held. */
export type Held<O extends PaidOrder = PaidOrder> = Call<O>

/** A request that was read, and whose model was found. */
export interface PaidOrder<M extends Model = Model> {
  model: M
  streams: boolean
  /** Tells this request from another with the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
  /** Something in it cannot be counted: as much is held as the model reads. */
  is_uncounted?: boolean
}
