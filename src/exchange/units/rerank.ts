// Paid reranks, as a value: how they are read, what they can cost, and how they are served.
import type { RerankModel } from '../../domain/catalogue.ts'
import { NO_UNITS } from '../../domain/units.ts'
import { readRerankRequest, rerankNames } from '../../protocols/openai/rerank.ts'
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

/** A thousand documents of a few pages each. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024

interface RerankOrder extends UnitOrder<RerankModel> {
  body: JsonBody
}

export const rerankCalls: PaidKind<PaidCall, RerankOrder> = {
  ...UNIT_PRICING,
  read: readRerank,
  serve: serveRerank,
}

/** Providers cut documents in their own ways. */
const MAX_SEARCHES_FACTOR = 4

async function readRerank(parts: ExchangeParts, admitted: Admitted): Promise<RerankOrder> {
  const body = await readJsonRequest(parts, admitted, {
    kind: 'rerank',
    names: rerankNames,
    limit_bytes: BODY_LIMIT_BYTES,
  })
  const model = findModel(parts, admitted, readCallTarget(body.json).model_id, 'rerank')
  const input = { ...NO_UNITS, ...readRerankRequest(body.json, model.unknown_fields) }
  const most = {
    ...input,
    searches: input.searches * MAX_SEARCHES_FACTOR,
    // Eight bytes of one token were estimated as one and a half at least.
    input_tokens: input.input_tokens * 8 + body.bytes.length,
  }
  const bounds = { estimate: input, most }
  return { model, streams: false, content: [body.bytes], body, held: input, bounds, input }
}

async function serveRerank(parts: ExchangeParts, held: Held<RerankOrder>): Promise<Served> {
  const dispatched = await send(parts, held, {
    streams: false,
    write: jsonWriter(parts, 'rerank', held.order.body),
    open: (response, attempt) => readUnitAnswer(parts, held, response, attempt, { verb: 'rerank' }),
  })
  return servedWhole(parts, held, dispatched)
}
