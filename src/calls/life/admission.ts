// Admission: the caller, the limits, and the models that the caller may call; and the end of every admitted call.
import type { Caller } from '../../access/gate.ts'
import type { Model } from '../../domain/catalogue.ts'
import { notFound, permissionDenied } from '../../domain/errors.ts'
import { modelsFor } from '../../domain/price-groups.ts'
import { mayCallFreeModel, rejectUnpayable } from '../bodies/arrival.ts'
import type { CallParts } from '../parts.ts'
import { type Admitted, Call, type CallOrigin } from './call.ts'
import { assertWithinLimits, takeLease } from './refusals.ts'
import { rejectWhileStopping } from './running.ts'

/** A paid call from a surface; kinds extend it. */
export interface PaidCall {
  origin: CallOrigin
}

/**
 * Admits a call, serves it, and releases its resources in every case. A streamed answer ends with `end`
 * (`Admitted.keepOpen`), every other one with its handler.
 * @throws GatewayError overloaded, unauthenticated, permission_denied or rate_limited before the body is read; and
 * as `use`
 */
export async function withAdmission<T>(
  parts: CallParts,
  origin: CallOrigin,
  use: (admitted: Admitted) => Promise<T>,
): Promise<T> {
  rejectWhileStopping(parts.running)
  const found = parts.gate.admit(origin)
  const call = admit(parts, origin, found instanceof Promise ? await found : found)
  try {
    return await use(call)
  } catch (thrown) {
    // A refused call counts against the rate, even with an Idempotency-Key.
    await call.count_later?.()
    throw thrown
  } finally {
    const ending = call.handled()
    if (ending) await ending
  }
}

function admit(parts: CallParts, origin: CallOrigin, caller: Caller): Call {
  const { running, events, probe, log, now } = parts
  // The gateway may have started to stop during the key lookup.
  rejectWhileStopping(running)
  const lease = takeLease(parts, caller)
  const place = running.enter(origin)
  probe('admitted')
  const started_ms = now()
  const call = new Call({ origin, caller, place, lease, log, started_ms })
  events.raise('admitted', call)
  return call
}

/**
 * Checks before a large text request is read whether its call would be admitted. Takes and counts nothing.
 * @throws GatewayError as `withAdmission` before the body is read; insufficient_balance if the account cannot pay for any call
 */
export async function assertWelcome(parts: CallParts, origin: CallOrigin): Promise<void> {
  rejectWhileStopping(parts.running)
  const caller = await parts.gate.admit(origin)
  assertWithinLimits(parts, caller)
  if (mayCallFreeModel(parts.catalogue(), { caller }, 'text')) return
  await rejectUnpayable(caller.account, parts.bodies.accountOf)
}

type ModelOf<K extends Model['kind']> = Extract<Model, { kind: K }>

/**
 * Returns the model that a call names, at the price for the caller's account. The call keeps this price.
 * @throws GatewayError not_found (code model_not_found; model_unavailable if all its providers are disabled), or
 * permission_denied (code MODEL_ACCESS_DENIED)
 */
export function findModel<K extends Model['kind']>(
  { catalogue }: Pick<CallParts, 'catalogue'>,
  { caller, origin }: Pick<Admitted, 'caller'> & Partial<Pick<Admitted, 'origin'>>,
  model_id: string,
  kind: K,
): ModelOf<K> {
  if (origin) origin.known.model = model_id
  const model = modelsFor(catalogue(), caller.account.price_group).get(model_id)
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
    // 404 instead of 503, which clients retry for minutes: only the operator can fix this.
    throw notFound(
      `The model "${model_id}" is out of service: this gateway has no key for its provider. Its operator must set one; the log says which.`,
      { code: 'model_unavailable', cause: model.unavailable },
    )
  }
  return model as ModelOf<K>
}
