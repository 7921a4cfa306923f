// Owns the steps that every paid call goes through, whatever it makes: admit, find its model, hold, dispatch, leave.

import type { Caller, Gate } from '../access/gate.ts'
import { type Lease, type Limiter, limitsFor } from '../access/limits.ts'
import type { Catalogue, EmbeddingModel, Model, TextModel } from '../domain/catalogue.ts'
import {
  GatewayError,
  notFound,
  overloaded,
  permissionDenied,
  rateLimited,
  toGatewayError,
} from '../domain/errors.ts'
import type { Nanos } from '../domain/money.ts'
import { type Billed, totalTokens } from '../domain/usage.ts'
import type { RenderError } from '../http/answers.ts'
import type { Idempotency, RepeatableCall } from '../idempotency/idempotency.ts'
import { chargeTokens } from '../pricing/charge.ts'
import type { Quote } from '../pricing/quote.ts'
import type { UpstreamFailure } from '../protocols/facts.ts'
import { protocolOf, type Registry } from '../protocols/registry.ts'
import { type DispatchDeps, type Dispatched, dispatch, type UpstreamRequest } from '../upstream/dispatch.ts'
import type { Attempt } from '../upstream/routes.ts'
import { refusalError } from './refusals.ts'
import type { RunningCall, RunningCalls } from './running.ts'
import {
  CLIENT_CLOSED_REQUEST,
  type Delivered,
  openSettlement,
  type Settlement,
  type SettlementDeps,
} from './settlement.ts'

export interface PaidCallDeps extends SettlementDeps {
  gate: Gate
  limiter: Limiter
  upstream: DispatchDeps
  protocols: Registry
  running: RunningCalls
  idempotency: Idempotency
  catalogue: () => Catalogue
  /** What callers may read of a vendor's words about their request. */
  publicWords: (words: string) => string
}

/** What a surface knows of a paid call before it looks into its body. */
export interface CallOrigin {
  request: Request
  request_id: string
  surface: string
  credential: string | undefined
  /** The caller's address; asked for only where his key is bound to some. */
  address: () => string | undefined
  /** Sets the idle time-out of the caller's socket; 0: none. */
  setIdleTimeout: (timeout_s: number) => void
  /** How the surface writes an error: the status is recorded with a call that failed. */
  render: RenderError
  /** A further name of the header that carries the request's id. */
  id_header?: string
}

/** A call that was let in, with all that it must give back when it ends. */
export interface Admitted {
  origin: CallOrigin
  caller: Caller
  lease: Lease
  place: RunningCall
  started_ms: number
}

/** A call whose money is held. */
export interface Held<M extends Model> extends Admitted {
  model: M
  /** The id of the hold, and of the call's record once there is one. */
  hold_id: number
  held_nanos: Nanos
  settlement: Settlement
}

/** How a held call is put to its model's routes. */
export interface Sending<T> {
  streams: boolean
  write(attempt: Attempt): UpstreamRequest
  /** Reads an answer as far as it must be there before the caller gets a byte. */
  open(response: Response, attempt: Attempt): Promise<T>
  /** Understands a refusal, where that is not done by the provider's protocol. */
  readFailure?: (attempt: Attempt, status: number, headers: Headers, body: string) => UpstreamFailure
  /** The most that one attempt may take, where the provider allows it more. */
  timeout_ms?: number
}

type ModelOf<K extends Model['kind']> = Extract<Model, { kind: K }>
type TokenModel = TextModel | EmbeddingModel

export interface PaidCalls {
  /**
   * Who calls, and how much at once. Comes before the body is read.
   * @throws GatewayError overloaded, unauthenticated, permission_denied or rate_limited
   */
  admit(origin: CallOrigin): Admitted
  /** @throws GatewayError not_found (code model_not_found), or permission_denied (code MODEL_ACCESS_DENIED) */
  findModel<K extends Model['kind']>(
    { caller }: Pick<Admitted, 'caller'>,
    model_id: string,
    kind: K,
  ): ModelOf<K>
  /**
   * Serves what was read of a call, or sends again what was answered under its Idempotency-Key. Stands before the hold;
   * whatever is refused before it may be refused again.
   * @throws GatewayError as `Idempotency.once`
   */
  once(
    admitted: Admitted,
    asked: Pick<RepeatableCall, 'content' | 'streams'>,
    serve: () => Promise<Response>,
  ): Promise<Response>
  /**
   * Freezes the ceiling of a quote, or all that there is where it pays for the floor.
   * @throws GatewayError insufficient_balance and its likes; nothing is held then
   */
  hold<M extends Model>(admitted: Admitted, model: M, quote: Quote, streamed: boolean): Promise<Held<M>>
  /**
   * Gets the first answer that works, for a call that costs nothing.
   * @throws GatewayError as `dispatch`
   */
  ask<T>(admitted: Admitted, model: Model, sending: Sending<T>): Promise<Dispatched<T>>
  /**
   * The same for a call whose money is held: the route that answers goes into its record.
   * @throws GatewayError as `dispatch`; what is held is given back by `abandon`
   */
  send<T>(held: Held<Model>, sending: Sending<T>): Promise<Dispatched<T>>
  /**
   * Charges for the tokens that were delivered, and gives back the call's place.
   * @throws GatewayError as `Settlement.post`
   */
  settle(held: Held<TokenModel>, outcome: Delivered['outcome'], billed: Billed): Promise<void>
  /** Gives back what is held for a call that failed, or whose caller left. @returns the failure to tell of */
  abandon(held: Held<Model>, thrown: unknown): Promise<unknown>
  /** Gives back the call's place. @param tokens what it used, for the limits */
  leave(admitted: Admitted, tokens: number): void
}

/** The steps over their parts. */
export function createPaidCalls(deps: PaidCallDeps): PaidCalls {
  const { gate, limiter, ledger, running, catalogue, now, probe, log } = deps

  function takeLease({ account, key }: Caller): Lease {
    const limits = limitsFor(catalogue().limits, account.name, key.prefix)
    const admission = limiter.admit({ account_id: account.id, key_id: key.id, ...limits })
    if (admission.ok) return admission.lease
    const { retry_after_s } = admission
    const limit = `${admission.limit.replaceAll('_', ' ')} of this ${admission.of}`
    throw rateLimited(`The limit on ${limit} is reached. Retry after ${retry_after_s} s.`, { retry_after_s })
  }

  /** Every route may take its whole time, and a caller his own to read: an older hold whose call is over was left behind. */
  function longestTime(model: Model): number {
    const { providers, server } = catalogue()
    let time_ms = server.drain_timeout_ms + server.stalled_reader_timeout_ms
    for (const { provider } of model.routes) time_ms += providers.get(provider)?.call_timeout_ms ?? 0
    return time_ms
  }

  /** Fires when a caller who has gone takes the upstream with him: at once, or after the time to drain. */
  function upstreamSignal(place: RunningCall): AbortSignal {
    const { on_disconnect, drain_timeout_ms } = catalogue().server
    if (on_disconnect === 'cancel') return place.gone
    const controller = new AbortController()
    const abort = () => controller.abort()
    place.watchSilence(Number.POSITIVE_INFINITY, abort)
    place.gone.addEventListener('abort', () => setTimeout(abort, drain_timeout_ms).unref(), { once: true })
    return controller.signal
  }

  function ask<T>({ origin, place }: Admitted, model: Model, sending: Sending<T>): Promise<Dispatched<T>> {
    const { streams, write, open, timeout_ms = Number.POSITIVE_INFINITY } = sending
    place.progressed('upstream')
    return dispatch(deps.upstream, {
      catalogue: catalogue(),
      model,
      signal: upstreamSignal(place),
      gone: place.gone,
      write,
      open,
      readFailure:
        sending.readFailure ??
        (({ provider }, ...answer) => protocolOf(deps.protocols, provider).readFailure(...answer)),
      publicWords: deps.publicWords,
      timeoutOf: ({ provider }) =>
        Math.min(timeout_ms, streams ? provider.first_byte_timeout_ms : provider.call_timeout_ms),
      onFailure: ({ key_id }, { failure_class, message }) =>
        log.warn(
          { request_id: origin.request_id, provider_key: key_id, failure_class, cause: message },
          'a route failed',
        ),
    })
  }

  async function abandon(held: Held<Model>, thrown: unknown): Promise<unknown> {
    const { origin, place, settlement } = held
    const { aborted, reason } = place.gone
    const failure = reason instanceof GatewayError ? reason : toGatewayError(thrown)
    if (aborted && failure !== reason) await settlement.voidHold('cancelled', CLIENT_CLOSED_REQUEST)
    else await settlement.voidHold('failed', origin.render(failure, origin.request_id).status)
    return failure
  }

  return {
    admit(origin) {
      if (running.stopping) throw overloaded('The gateway is restarting. Please retry.', { retry_after_s: 5 })
      const caller = gate.admit(origin.credential, origin.address)
      const lease = takeLease(caller)
      const place = running.enter(origin.request, origin.setIdleTimeout)
      probe('admitted')
      return { origin, caller, lease, place, started_ms: now() }
    },

    findModel<K extends Model['kind']>({ caller }: Pick<Admitted, 'caller'>, model_id: string, kind: K) {
      const model = catalogue().models.get(model_id)
      if (!model || model.retired) {
        const problem = 'There is no such model here, or it was retired.'
        throw notFound(`${problem} GET /v1/models lists those that you may call.`, {
          code: 'model_not_found',
        })
      }
      if (!caller.mayCall(model_id)) {
        throw permissionDenied(`This API key has no access to the model "${model_id}".`, {
          code: 'MODEL_ACCESS_DENIED',
        })
      }
      if (model.kind !== kind) {
        throw notFound(`The model "${model_id}" is for ${model.kind}, not for ${kind}.`, {
          code: 'model_not_found',
        })
      }
      return model as ModelOf<K>
    },

    async once(admitted, asked, serve) {
      const { origin, caller, place } = admitted
      let served = false
      const call = { ...asked, origin, account_id: caller.account.id, gone: place.gone }
      const answer = await deps.idempotency.once(call, () => {
        served = true
        return serve()
      })
      if (!served) leave(admitted, 0)
      return answer
    },

    async hold(admitted, model, { ceiling_nanos, floor_nanos }, streamed) {
      const { caller, started_ms } = admitted
      const { request_id, surface } = admitted.origin
      const now_ms = now()
      const outcome = await ledger.submit({
        op: 'hold',
        account_id: caller.account.id,
        key_id: caller.key.id,
        request_id,
        amount_nanos: ceiling_nanos,
        minimum_nanos: floor_nanos,
        now_ms,
        expires_at_ms: now_ms + longestTime(model),
      })
      if (!outcome.ok) throw refusalError(outcome.refusal)
      const { hold_id, held_nanos } = outcome
      admitted.place.holds(hold_id)
      probe('held')
      const about = { hold_id, request_id, surface, model_id: model.id, streamed, caller, started_ms }
      return { ...admitted, model, hold_id, held_nanos, settlement: openSettlement(deps, about) }
    },

    ask,

    async send(held, sending) {
      const dispatched = await ask(held, held.model, sending)
      held.settlement.reached(dispatched.attempt)
      probe('dispatched')
      return dispatched
    },

    async settle(held, outcome, { usage, estimated }) {
      try {
        const charge = chargeTokens(held.model.price, usage)
        await held.settlement.post({ outcome, charge, usage, estimated })
      } finally {
        leave(held, totalTokens(usage))
      }
    },

    abandon,

    leave,
  }
}

function leave({ lease, place }: Admitted, tokens: number): void {
  lease.release(tokens)
  place.done()
}
