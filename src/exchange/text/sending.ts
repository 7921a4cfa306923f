// How a text call is put to a route: in the provider's own protocol, with the output limit that is held for.

import type { GatewayError } from '../../domain/errors.ts'
import { idHeaders } from '../../http/answers.ts'
import { affordableOutput } from '../../pricing/quote.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import { markOf } from '../../protocols/key-mark.ts'
import { requestTo } from '../../upstream/request.ts'
import type { Attempt } from '../../upstream/routes.ts'
import { upstreamModelHeader } from '../answered-name.ts'
import type { Sending } from '../asking.ts'
import type { Held } from '../paid-call.ts'
import { unitLimits } from './asked-extras.ts'
import type { TextOrder } from './order.ts'
import type { Passage } from './passage.ts'

/** @param open reads an answer as far as it must be there before the caller gets a byte */
export function sendingOf<T>(held: Held<TextOrder>, open: Sending<T>['open']): Sending<T> {
  const { model, streams, passages, request } = held.order
  const { max_output_tokens } = model
  const { issuer } = held.order.facts
  const output_limit = outputLimitOf(held)
  let forgets_reasoning = false
  return {
    streams,
    open,
    isPreferred: issuer === undefined ? undefined : ({ api_key }) => markOf(api_key) === issuer,
    amend(_, { cannot_read_reasoning }) {
      if (forgets_reasoning || !cannot_read_reasoning) return false
      forgets_reasoning = true
      return true
    },
    refused: ({ provider }, failure) => promptTooLong(held.order, passages(provider), failure),
    isTooSmall: ({ too_long }) => too_long?.context !== undefined && too_long.context < model.context,
    async write({ provider, model: upstream_model, api_key }) {
      const passage = passages(provider)
      const target = passage.protocol.text.target({ model: upstream_model, api_key, streams })
      const body = await request.body.write({
        from: request.dialect.protocol.name,
        to: passage.protocol.name,
        streams,
        model: upstream_model,
        max_output_tokens,
        output_limit,
        forgets_reasoning,
        max_units: unitLimits(model, passage.extras),
      })
      return requestTo(provider, target, body, passage.forwarded_headers)
    },
  }
}

/**
 * A provider's refusal of the prompt's length, in the words and with the code of the caller's protocol.
 * @returns undefined for another refusal, and where the provider's own words are those
 */
function promptTooLong(
  { model, facts, request }: TextOrder,
  { protocol }: Passage,
  { too_long }: UpstreamFailure,
): GatewayError | undefined {
  const callers = request.dialect.protocol.text
  if (!too_long || callers.promptTooLong === protocol.text.promptTooLong) return undefined
  const { context = model.context, tokens = facts.input_tokens } = too_long
  return callers.promptTooLong(Math.max(tokens, context + 1), context)
}

/** Set where the model or the balance allows less output than was asked: the limit that is sent upstream instead, in tokens. */
export function outputLimitOf({ order, held_nanos, ceiling_nanos }: Held<TextOrder>): number | undefined {
  const { model, facts, quoted } = order
  if (held_nanos < ceiling_nanos) return affordableOutput(model.price, quoted, held_nanos)
  // What is sent is what is held for: the model's limit, where the caller set one beyond it.
  const { max_output_tokens = 0 } = facts
  return max_output_tokens > model.max_output_tokens ? model.max_output_tokens : undefined
}

/** The headers of an answer, whole or streamed. */
export function answerHeaders(
  held: Held<TextOrder>,
  { model }: Attempt,
  content_type: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': content_type,
    ...idHeaders(held.origin),
    ...upstreamModelHeader(model),
    ...held.order.request.dialect.answering?.headers,
  }
  const output_limit = outputLimitOf(held)
  if (output_limit !== undefined) headers['x-tollgate-output-limit'] = String(output_limit)
  return headers
}
