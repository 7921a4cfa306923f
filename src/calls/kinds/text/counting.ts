// Free counting of a request's input tokens: by a provider of the caller's protocol, or estimated.
import type { TextModel } from '../../../domain/catalogue.ts'
import { estimateFor, estimateMedia } from '../../../domain/media/tokens.ts'
import { generationName } from '../../../protocols/canonical/request.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import { readReported } from '../../../upstream/failures.ts'
import { withRoutes } from '../../../upstream/routes.ts'
import type { Sending } from '../../../upstream/sending.ts'
import { readAnswer } from '../../../upstream/transport.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchRequest } from '../../serving/dispatch-call.ts'

/** Estimates the request's media as its model reads them. The estimate never exceeds the hold. */
export function estimatedFor({ routes, context }: TextModel, facts: RequestFacts): RequestFacts {
  const { media } = facts
  if (!media) return facts
  const text_tokens = facts.input_tokens - estimateMedia(media)
  return { ...facts, input_tokens: text_tokens + estimateFor(media, routes.map(generationName), context) }
}

/**
 * @param write writes the count request for a route
 * @returns the provider's answer; undefined if no route of the model speaks the protocol
 * @throws GatewayError if all these routes fail
 */
export async function countUpstream(
  parts: CallParts,
  admitted: Admitted,
  model: TextModel,
  { protocol, write }: { protocol: Protocol; write: Sending<unknown>['write'] },
): Promise<unknown> {
  const { providers, server } = parts.catalogue()
  const counting = withRoutes(model, ({ provider }) => providers.get(provider)?.protocol === protocol.name)
  if (!counting) return undefined
  const { answer } = await dispatchRequest(parts, admitted, counting, {
    streams: false,
    write,
    open: async (response) =>
      readReported(protocol, (await readAnswer(response, server.max_answer_bytes)).toString()),
  })
  return answer
}
