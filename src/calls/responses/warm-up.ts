// A request that is only prepared (`generate: false`): read and checked as any other, remembered, and answered without a model.
// https://developers.openai.com/api/docs/guides/websocket-mode, "Connect and create responses"
import type { JsonObject } from '../../protocols/wire/json.ts'
import { costsNothing, rejectUnpayable } from '../bodies/arrival.ts'
import { type OpenedText, readOpened, type TextCall } from '../kinds/text/call.ts'
import type { Admitted } from '../life/call.ts'
import type { CallParts } from '../parts.ts'
import type { ResponseCall } from './call.ts'

const frameOf = (event: JsonObject): string =>
  `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`

/**
 * Calls no provider, and charges nothing; the call that follows has to be paid.
 * @throws GatewayError as `readOpened`; insufficient_balance where the account could pay for no call of the model
 */
export async function prepareOnly(
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
