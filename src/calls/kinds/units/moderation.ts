// Paid moderations as a PaidKind: read, quote, serve.
import { isServed, type ModerationModel } from '../../../domain/catalogue.ts'
import { boundMedia } from '../../../domain/media/tokens.ts'
import { NO_UNITS } from '../../../domain/units.ts'
import { generationName } from '../../../protocols/canonical/request.ts'
import { boundDropped } from '../../../protocols/dropped-bound.ts'
import { applyBound, inputBound } from '../../../protocols/input-bound.ts'
import {
  boundModeration,
  moderationNames,
  readModerationTokens,
} from '../../../protocols/openai/moderations.ts'
import { type JsonObject, refusal } from '../../../protocols/wire/json.ts'
import type { JsonBody } from '../../../protocols/wire/json-body.ts'
import { readCallTarget } from '../../bodies/arrival.ts'
import { findModel, type PaidCall } from '../../life/admission.ts'
import type { Admitted } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import { UNIT_PRICING, type UnitOrder } from './billing.ts'
import { readJsonRequest } from './json-request.ts'
import { serveJson } from './whole.ts'

/** Long texts or inline images. Parsing more would block others for too long. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024

/** https://platform.openai.com/docs/models/omni-moderation-latest */
const MAX_INPUT_TOKENS = 32_768

interface ModerationOrder extends UnitOrder<ModerationModel> {
  body: JsonBody
}

export const moderationCalls: PaidKind<PaidCall, ModerationOrder> = {
  ...UNIT_PRICING,
  read: readModeration,
  serve: serveJson('moderations'),
}

async function readModeration(parts: CallParts, admitted: Admitted): Promise<ModerationOrder> {
  const body = await readJsonRequest(parts, admitted, {
    kind: 'moderation',
    names: moderationNames,
    limit_bytes: BODY_LIMIT_BYTES,
  })
  const model = findModel(parts, admitted, modelIn(parts, admitted, body.json), 'moderation')
  const input_tokens = readModerationTokens(body.json, model.unknown_fields)
  const input = { ...NO_UNITS, input_tokens }
  const { tokens, media } = applyBound(boundModeration, body.json)
  const media_tokens = boundMedia(media, model.routes.map(generationName), MAX_INPUT_TOKENS)
  const bound = tokens + media_tokens + boundDropped(body)
  const held = { ...NO_UNITS, input_tokens: inputBound(bound, input_tokens) }
  // An image has at most as many tokens as bytes, and no token of a text is shorter than a byte.
  const max_tokens = Math.max(body.bytes.length, 2 * input_tokens, held.input_tokens)
  const bounds = { estimate: input, most: { ...NO_UNITS, input_tokens: max_tokens } }
  return { model, streams: false, content: [body.bytes], body, held, bounds, input }
}

/** OpenAI's SDK may omit the model. Then it is the first of the catalogue that the caller may call. */
function modelIn({ catalogue }: CallParts, { caller }: Admitted, body: JsonObject): string {
  if ((body.model ?? null) !== null) return readCallTarget(body).model_id
  const first = catalogue()
    .models.values()
    .find((model) => model.kind === 'moderation' && isServed(model) && caller.mayCall(model.id))
  if (!first) throw refusal('model', 'must be the name of a model.')
  return first.id
}
