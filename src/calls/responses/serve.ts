// The responses surface: creates, only prepares, or compacts a response.
import type { JsonObject } from '../../protocols/wire/json.ts'
import { costsNothing, rejectUnpayable } from '../bodies/arrival.ts'
import { type OpenedText, openText, readOpened, textCalls } from '../kinds/text/call.ts'
import type { TextCall } from '../kinds/text/order.ts'
import { withAdmission } from '../life/admission.ts'
import type { Admitted, CallOrigin } from '../life/call.ts'
import { payOnce, servePaid } from '../life/paid-call.ts'
import type { CallParts } from '../parts.ts'
import { ResponseCall } from './call.ts'
import type { ResponseParts } from './recall.ts'
import type { RecentResponses } from './recent.ts'

const frameOf = (event: JsonObject): string =>
  `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`

/**
 * Prepares a response without a provider or a charge; the call that follows is charged.
 * @throws GatewayError as `readOpened`; insufficient_balance if the account cannot pay for any call of the model
 */
async function prepareOnly(
  parts: CallParts,
  admitted: Admitted,
  { text_call, call, opened }: { text_call: TextCall; call: ResponseCall; opened: OpenedText },
): Promise<Response> {
  const { model } = await readOpened(parts, admitted, text_call, opened)
  if (!costsNothing(model)) await rejectUnpayable(admitted.caller.account, parts.bodies.accountOf)
  const { created, completed } = await call.prepared(admitted.started_ms)
  opened.body.release()
  const events = [
    { type: 'response.created', sequence_number: 0, response: created },
    { type: 'response.in_progress', sequence_number: 1, response: created },
    { type: 'response.completed', sequence_number: 2, response: completed },
  ]
  return new Response(events.map(frameOf).join(''), { headers: { 'content-type': 'text/event-stream' } })
}

/** The settings that all requests of the surface share. */
export type ResponseRequest = Pick<TextCall, 'body_limit_bytes' | 'target' | 'protocol'>

const textCallOf = (origin: CallOrigin, request: ResponseRequest, call: ResponseCall): TextCall => ({
  origin,
  ...request,
  revise: call.revise,
  dialect: call.dialect,
  forwarded_headers: {},
})

/** Options of a request over a persistent connection. */
interface OverConnection {
  /** The connection's memory of earlier responses. */
  recent?: RecentResponses
  /** False: the request is only prepared, to be continued by others. */
  generates?: boolean
}

/** Answers a request. @throws GatewayError as `servePaid` */
export const respond = (
  parts: ResponseParts,
  origin: CallOrigin,
  request: ResponseRequest,
  { recent, generates = true }: OverConnection = {},
): Promise<Response> => {
  const { calls } = parts
  return withAdmission(calls, origin, async (admitted) => {
    const opened = await openText(calls, admitted, request)
    if (!generates) {
      const call = new ResponseCall(parts, origin, { recent, only_prepares: true })
      const text_call = textCallOf(origin, request, call)
      return prepareOnly(calls, admitted, { text_call, call, opened })
    }
    const call = new ResponseCall(parts, origin, { recent })
    const text_call = textCallOf(origin, request, call)
    return payOnce(calls, admitted, await readOpened(calls, admitted, text_call, opened), textCalls)
  })
}

/** Compacts (summarizes) a conversation. @throws GatewayError as `servePaid` */
export const compact = (
  parts: ResponseParts,
  origin: CallOrigin,
  request: ResponseRequest,
): Promise<Response> => {
  const call = new ResponseCall(parts, origin, { only_compacts: true })
  return servePaid(parts.calls, textCalls, textCallOf(origin, request, call))
}
