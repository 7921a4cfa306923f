// A JSON request that passes through unchanged except for the model's name.
import type { Model } from '../../../domain/catalogue.ts'
import { internal, invalidRequest } from '../../../domain/errors.ts'
import { deploymentOf } from '../../../http/azure-paths.ts'
import { normalizedBody } from '../../../protocols/media-places.ts'
import { unitMedia } from '../../../protocols/openai/media-places.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import { protocolOf } from '../../../protocols/registry.ts'
import type { UnitProtocols } from '../../../protocols/unit-calls.ts'
import {
  type JsonBody,
  parseJsonBody,
  parseScanned,
  scanJsonBody,
} from '../../../protocols/wire/json-body.ts'
import type { Names } from '../../../protocols/wire/json-names.ts'
import { spliceFields } from '../../../protocols/wire/json-splice.ts'
import { requestTo } from '../../../upstream/request.ts'
import type { Attempt } from '../../../upstream/routes.ts'
import type { Sending } from '../../../upstream/sending.ts'
import { mayCallFreeModel, type ReceiveOptions, receiveBody } from '../../bodies/arrival.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'

/** The body as bytes, text and values, and the upstream request. */
const COPIES = 4
/** Parsing this many values blocks the event loop for 10 ms. */
const MAX_VALUES = 400_000

interface JsonRequestOptions extends Pick<ReceiveOptions, 'limit_bytes' | 'model_id'> {
  kind: Model['kind']
  names: Names
}

/** @throws GatewayError as `receiveBody` and `parseJsonBody` */
export async function readJsonRequest(
  parts: CallParts,
  admitted: Admitted,
  { kind, names, ...limits }: JsonRequestOptions,
): Promise<JsonBody> {
  const { bytes } = await receiveBody(parts.bodies, admitted, {
    ...limits,
    copies: COPIES,
    isFree: () => mayCallFreeModel(parts.catalogue(), admitted, kind),
  })
  const scanned = scanJsonBody(bytes, names)
  if (scanned.values > MAX_VALUES)
    throw invalidRequest(`The request body has more than ${MAX_VALUES} values. Send fewer inputs at once.`)
  const body = parseScanned(scanned)
  const model = deploymentOf(admitted.origin.request)
  if (model === undefined || model === body.json.model) return body
  return parseJsonBody(spliceFields(body, { ...body.json, model }), names)
}

/** Returns the verbs of a route's provider. The catalogue refuses models whose provider lacks them. */
export function verbsOf<Verb extends 'embeddings' | keyof UnitProtocols>(
  { protocols }: Pick<CallParts, 'protocols'>,
  { provider }: Pick<Attempt, 'provider'>,
  verb: Verb,
): NonNullable<Protocol[Verb]> {
  const verbs = protocolOf(protocols, provider)[verb]
  if (verbs) return verbs
  throw internal(
    'This model cannot be called. It has been logged; please tell the operator of this gateway.',
    { cause: `the provider ${provider.name} has no ${verb}` },
  )
}

/** Writes such a request for a route. */
export const jsonWriter =
  (parts: CallParts, verb: keyof UnitProtocols, body: JsonBody): Sending<unknown>['write'] =>
  (attempt) =>
    requestTo(
      attempt,
      verbsOf(parts, attempt, verb).target,
      spliceFields(body, { ...normalizedBody(body.json, { media: unitMedia }).json, model: attempt.model }),
    )
