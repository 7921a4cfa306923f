// Paid text calls as a PaidKind: read, quote, serve.
import type { TextModel } from '../../../domain/catalogue.ts'
import { quote } from '../../../money/pricing/quote.ts'
import { priceAt } from '../../../money/pricing/service-tiers.ts'
import type { Awaitable } from '../../../store/db.ts'
import { after } from '../../../utilities/after.ts'
import { type CallTarget, costsNothing, mayCallFreeModel } from '../../bodies/arrival.ts'
import { findModel } from '../../life/admission.ts'
import type { Admitted } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import { spentInput } from '../../settling/end.ts'
import { withAcceptedImages } from './accepted-images.ts'
import type { TextBody } from './body.ts'
import { spentExtras } from './extras.ts'
import type { ReadText, TextCall, TextOrder } from './order.ts'
import { extrasOf, orderOf } from './order-of.ts'
import { readTextBody } from './read-body.ts'
import { serveStream } from './serve-stream.ts'
import { serveWhole } from './serve-whole.ts'

export const textCalls: PaidKind<TextCall, TextOrder> = {
  read: async (parts, admitted, call) =>
    readOpened(parts, admitted, call, await openText(parts, admitted, call)),
  quote: ({ price, quoted }) => quote(price, quoted),
  quoteAt: ({ catalogue }, { model, quoted, passages, service_tier }, price) =>
    quote(priceAt(price, service_tier?.name) ?? price, {
      ...quoted,
      extras_nanos: extrasOf(catalogue(), { ...model, price }, passages),
    }),
  spent: ({ model, price, facts, passages }, attempt) =>
    spentInput(price, facts.input_tokens, spentExtras(model, passages(attempt))),
  serve: (parts, held) => (held.order.streams ? serveStream(parts, held) : serveWhole(parts, held)),
}

/** A request whose body has arrived; its model may still be of any kind. */
export interface OpenedText {
  body: TextBody
  target: CallTarget
  /** The model, if the URL names it. */
  named: TextModel | undefined
}

/**
 * Reads the body. If the URL names the model, the model is found first.
 * @throws GatewayError as `findModel` and `readTextBody`
 */
export function openText(
  parts: CallParts,
  admitted: Admitted,
  call: Pick<TextCall, 'body_limit_bytes' | 'target' | 'protocol'>,
): Promise<OpenedText> {
  const named =
    typeof call.target === 'function' ? undefined : findModel(parts, admitted, call.target.model_id, 'text')
  const reading = readTextBody(parts, admitted, {
    protocol: call.protocol,
    limit_bytes: call.body_limit_bytes,
    model_id: named?.id,
    isFree: () => (named ? costsNothing(named) : mayCallFreeModel(parts.catalogue(), admitted, 'text')),
  })
  return reading.then((body) => {
    const target = typeof call.target === 'function' ? call.target(body.fields) : call.target
    return { body, target, named }
  })
}

/** @throws GatewayError as `findModel`, and for features that the model does not support */
export function readOpened(
  parts: CallParts,
  admitted: Admitted,
  call: TextCall,
  { body, target, named }: OpenedText,
): Awaitable<TextOrder> {
  const model = named ?? findModel(parts, admitted, target.model_id, 'text')
  const read =
    body.has_images || call.revise
      ? withRevisions(parts, admitted, call, { model, body })
      : after(body.facts(call.protocol.name), (facts) => ({ admitted, model, body, facts }))
  return after(read, (text) => orderOf(parts, call, target, text))
}

/** Changes a request before it is priced: converts images that the model does not accept, then applies the surface's `revise`. */
async function withRevisions(
  parts: CallParts,
  admitted: Admitted,
  { protocol: { name }, revise }: TextCall,
  { model, body: opened }: Pick<ReadText, 'model' | 'body'>,
): Promise<ReadText> {
  const taken = opened.has_images
    ? await withAcceptedImages(parts, admitted, { model, body: opened, protocol: name })
    : opened
  const read = { admitted, model, body: taken, facts: await taken.facts(name) }
  const body = revise ? await revise(read) : taken
  return body === taken ? read : { ...read, body, facts: await body.facts(name) }
}
