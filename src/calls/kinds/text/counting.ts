// The counting of a request's tokens by a provider of the caller's own protocol: free, and only where a model has one.
import type { TextModel } from '../../../domain/catalogue.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import { readReported } from '../../../upstream/failures.ts'
import { withRoutes } from '../../../upstream/routes.ts'
import type { Sending } from '../../../upstream/sending.ts'
import { readAnswer } from '../../../upstream/transport.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchRequest } from '../../serving/dispatch-call.ts'

/**
 * @param write how the question is put to a route
 * @returns the provider's answer; undefined if no route of the model speaks the protocol
 * @throws GatewayError if all of those fail
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
