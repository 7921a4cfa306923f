// Paid moderations, as a value: how they are read, what they can cost, and how they are served.
import { isServed, type ModerationModel } from '../../domain/catalogue.ts'
import { NO_UNITS } from '../../domain/units.ts'
import { moderationNames, readModerationTokens } from '../../protocols/openai/moderations.ts'
import { type JsonObject, refusal } from '../../protocols/wire/json.ts'
import type { JsonBody } from '../../protocols/wire/json-body.ts'
import { type Admitted, findModel, type PaidCall } from '../admission.ts'
import { readCallTarget } from '../call-target.ts'
import { send } from '../paid-call.ts'
import type { Held, PaidKind, Served } from '../paid-kind.ts'
import type { ExchangeParts } from '../parts.ts'
import { UNIT_PRICING } from './billing.ts'
import { jsonWriter, readJsonRequest } from './json-request.ts'
import type { UnitOrder } from './order.ts'
import { readUnitAnswer, servedWhole } from './whole.ts'

/** Long texts, or images inline. More would be parsed for longer than others should wait. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024

interface ModerationOrder extends UnitOrder<ModerationModel> {
  body: JsonBody
}

export const moderationCalls: PaidKind<PaidCall, ModerationOrder> = {
  ...UNIT_PRICING,
  read: readModeration,
  serve: serveModeration,
}

async function readModeration(parts: ExchangeParts, admitted: Admitted): Promise<ModerationOrder> {
  const body = await readJsonRequest(parts, admitted, {
    kind: 'moderation',
    names: moderationNames,
    limit_bytes: BODY_LIMIT_BYTES,
  })
  const model = findModel(parts, admitted, modelIn(parts, admitted, body.json), 'moderation')
  const input = { ...NO_UNITS, input_tokens: readModerationTokens(body.json, model.unknown_fields) }
  // An image may be as many tokens as it has bytes at most; no token of a text is shorter than one.
  const most = { ...NO_UNITS, input_tokens: Math.max(body.bytes.length, 2 * input.input_tokens) }
  const bounds = { estimate: input, most }
  return { model, streams: false, content: [body.bytes], body, held: input, bounds, input }
}

/** OpenAI's SDK may leave the model out: then it is the first of the catalogue that the caller may call. */
function modelIn({ catalogue }: ExchangeParts, { caller }: Admitted, body: JsonObject): string {
  if ((body.model ?? null) !== null) return readCallTarget(body).model_id
  const first = catalogue()
    .models.values()
    .find((model) => model.kind === 'moderation' && isServed(model) && caller.mayCall(model.id))
  if (!first) throw refusal('model', 'must be the name of a model.')
  return first.id
}

async function serveModeration(parts: ExchangeParts, held: Held<ModerationOrder>): Promise<Served> {
  const dispatched = await send(parts, held, {
    streams: false,
    write: jsonWriter(parts, 'moderations', held.order.body),
    open: (response, attempt) => readUnitAnswer(parts, held, response, attempt, { verb: 'moderations' }),
  })
  return servedWhole(parts, held, dispatched)
}
