// Responses, served: made, only prepared, or summed up.
import { openText, readOpened, type TextCall, textCalls } from '../kinds/text/call.ts'
import { within } from '../life/admission.ts'
import type { CallOrigin } from '../life/call.ts'
import { payOnce, servePaid } from '../life/paid-call.ts'
import { ResponseCall } from './call.ts'
import type { ResponseParts } from './parts.ts'
import type { RecentResponses } from './recent.ts'
import { prepareOnly } from './warm-up.ts'

/** The parts of a call that every request of the surface shares. */
export type ResponseRequest = Pick<TextCall, 'body_limit_bytes' | 'target' | 'protocol'>

const textCallOf = (origin: CallOrigin, request: ResponseRequest, call: ResponseCall): TextCall => ({
  origin,
  ...request,
  revise: call.revise,
  dialect: call.dialect,
  forwarded_headers: {},
})

/** Options of a request over a connection that stays open. */
interface OverConnection {
  /** The connection's memory of earlier responses. */
  recent?: RecentResponses
  /** False: the request is only prepared, for those that continue it. */
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
  return within(calls, origin, async (admitted) => {
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

/** Sums a conversation up. @throws GatewayError as `servePaid` */
export const compact = (
  parts: ResponseParts,
  origin: CallOrigin,
  request: ResponseRequest,
): Promise<Response> => {
  const call = new ResponseCall(parts, origin, { only_compacts: true })
  return servePaid(parts.calls, textCalls, textCallOf(origin, request, call))
}
