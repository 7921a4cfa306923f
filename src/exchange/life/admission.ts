// Admission: who calls, how much at once, and which models they may call; and the end of every call that was let in.
import type { Caller } from '../../access/gate.ts'
import { type Lease, limitsFor } from '../../access/limits.ts'
import type { KeyOfAccount } from '../../access/lookup.ts'
import type { Model } from '../../domain/catalogue.ts'
import { notFound, permissionDenied, rateLimited } from '../../domain/errors.ts'
import type { RenderError } from '../../http/answers.ts'
import type { Arriving } from '../../http/sockets.ts'
import type { ExchangeParts } from '../parts.ts'
import { CallScope } from './call-scope.ts'
import { type RunningCall, rejectWhileStopping } from './running.ts'

/** What is learned of a request on its way, for the record of it if it is refused. One object, also where an origin is copied. */
export interface KnownOfRequest {
  caller?: KeyOfAccount
  /** As the caller wrote it. */
  model?: string
  /** Money was held: it is a call, which has a record of its own. */
  is_call?: true
}

/** What a surface knows of a call before its body is read. */
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

/** A paid call of a surface; kinds add what they need to know of it. */
export interface PaidCall {
  origin: CallOrigin
}

/** A call that was let in. */
export interface Admitted {
  origin: CallOrigin
  caller: Caller
  place: RunningCall
  scope: CallScope
  started_ms: number
  /** Its answer goes into that of a larger call, not to the caller. */
  is_part?: true
  /** Counts the call against a rate, once it is known that no kept answer answers it. @throws GatewayError rate_limited */
  count_later?: () => void
  /** What the caller sent, where a hook has changed the body and there is an Idempotency-Key. */
  sent_bytes?: Uint8Array
}

/**
 * Lets a call in, serves it, and takes back what it was given, however it ends. An answer that streams ends with its
 * settlement (`CallScope.keepOpen`), every other one with its handler.
 *
 * @throws GatewayError overloaded, unauthenticated, permission_denied or rate_limited before the body is read; and
 * whatever `use` throws
 */
export async function within<T>(
  parts: ExchangeParts,
  origin: CallOrigin,
  use: (admitted: Admitted) => Promise<T>,
): Promise<T> {
  const admitted = admit(parts, origin)
  try {
    return await use(admitted)
  } catch (thrown) {
    // What is refused counts, whatever its Idempotency-Key.
    admitted.count_later?.()
    throw thrown
  } finally {
    const ending = admitted.scope.handled()
    if (ending) await ending
  }
}

function admit(parts: ExchangeParts, origin: CallOrigin): Admitted {
  const { gate, running, probe, log, now } = parts
  rejectWhileStopping(running)
  const caller = gate.admit(origin)
  const lease = takeLease(parts, caller)
  const place = running.enter(origin)
  probe('admitted')
  return {
    origin,
    caller,
    place,
    scope: new CallScope(lease, place, log, origin.request_id),
    started_ms: now(),
  }
}

function takeLease({ limiter, catalogue }: ExchangeParts, { account, key }: Caller): Lease {
  const limits = limitsFor(catalogue().limits, account.name, key)
  const admission = limiter.admit({ account_id: account.id, key_id: key.id, ...limits })
  if (admission.ok) return admission.lease
  const { retry_after_s } = admission
  const limit = `${admission.limit.replaceAll('_', ' ')} of this ${admission.of}`
  throw rateLimited(`The limit on ${limit} is reached. Retry after ${retry_after_s} s.`, { retry_after_s })
}

type ModelOf<K extends Model['kind']> = Extract<Model, { kind: K }>

/**
 * The model that a call names.
 *
 * @throws GatewayError not_found (code model_not_found, or model_unavailable for one whose providers are all disabled), or
 * permission_denied (code MODEL_ACCESS_DENIED)
 */
export function findModel<K extends Model['kind']>(
  { catalogue }: Pick<ExchangeParts, 'catalogue'>,
  { caller, origin }: Pick<Admitted, 'caller'> & Partial<Pick<Admitted, 'origin'>>,
  model_id: string,
  kind: K,
): ModelOf<K> {
  if (origin) origin.known.model = model_id
  const model = catalogue().models.get(model_id)
  if (!model || model.retired) {
    throw notFound('Model not found, or retired. GET /v1/models lists the models that you may call.', {
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
  if (model.unavailable !== undefined) {
    // Not 503, which clients retry for minutes: only the operator can change it.
    throw notFound(
      `The model "${model_id}" is out of service: this gateway has no key for its provider. Its operator must set one; the log says which.`,
      { code: 'model_unavailable', cause: model.unavailable },
    )
  }
  return model as ModelOf<K>
}
