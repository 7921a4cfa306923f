// Paid reranks as a PaidKind: read, quote, serve.
import type { RerankModel } from '../../../domain/catalogue.ts'
import { NO_UNITS } from '../../../domain/units.ts'
import { boundDropped } from '../../../protocols/dropped-bound.ts'
import { readRerankRequest, rerankNames } from '../../../protocols/openai/rerank.ts'
import type { JsonBody } from '../../../protocols/wire/json-body.ts'
import { readCallTarget } from '../../bodies/arrival.ts'
import { findModel, type PaidCall } from '../../life/admission.ts'
import type { Admitted } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import { UNIT_PRICING, type UnitOrder } from './billing.ts'
import { readJsonRequest } from './json-request.ts'
import { serveJson } from './whole.ts'

/** A thousand documents of a few pages each. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024

interface RerankOrder extends UnitOrder<RerankModel> {
  body: JsonBody
}

export const rerankCalls: PaidKind<PaidCall, RerankOrder> = {
  ...UNIT_PRICING,
  read: readRerank,
  serve: serveJson('rerank'),
}

/** Providers split documents in different ways. */
const MAX_SEARCHES_FACTOR = 4

async function readRerank(parts: CallParts, admitted: Admitted): Promise<RerankOrder> {
  const body = await readJsonRequest(parts, admitted, {
    kind: 'rerank',
    names: rerankNames,
    limit_bytes: BODY_LIMIT_BYTES,
  })
  const model = findModel(parts, admitted, readCallTarget(body.json).model_id, 'rerank')
  const request = readRerankRequest(body.json, model.unknown_fields, boundDropped(body))
  const input = { ...NO_UNITS, ...request.estimate }
  const held = { ...NO_UNITS, ...request.bound }
  const most = {
    ...input,
    searches: Math.max(input.searches * MAX_SEARCHES_FACTOR, held.searches),
    // Eight bytes that are one token were estimated as at least one and a half tokens.
    input_tokens: Math.max(input.input_tokens * 8 + body.bytes.length, held.input_tokens),
  }
  const bounds = { estimate: input, most }
  return { model, streams: false, content: [body.bytes], body, held, bounds, input }
}
