// The reading of a text request's body: small ones are parsed on the event loop, large ones on a thread.
import type { CallerProtocol } from '../../protocols/protocol.ts'
import { BUILT_IN_REGISTRY } from '../../protocols/registry.ts'
import { parseScanned, scanJsonBody } from '../../protocols/wire/json-body.ts'
import type { Admitted } from '../admission.ts'
import { type Arrival, receiveBody } from '../arrival.ts'
import type { ExchangeParts } from '../parts.ts'
import { parsedBody, type TextBody } from './body.ts'
import { threadBody } from './thread-body.ts'

/** A body, and what is sent upstream of it. Only one at a time is parsed. */
const COPIES = 2
/** Beyond either, to parse a body would stop everyone else for tens of milliseconds. */
const MAX_BYTES_ON_LOOP = 1024 * 1024
const MAX_VALUES_ON_LOOP = 50_000

/** @param protocol the caller's @throws GatewayError as `receiveBody` and `parseJsonBody`; overloaded where the thread fails */
export async function readTextBody(
  { bodies, protocols }: ExchangeParts,
  admitted: Admitted,
  { protocol, ...arrival }: Omit<Arrival, 'copies'> & { protocol: CallerProtocol },
): Promise<TextBody> {
  const { bytes, release: giveBack } = await receiveBody(bodies, admitted, { ...arrival, copies: COPIES })
  const body = await parse()
  const release = () => {
    body.release()
    giveBack()
  }
  admitted.scope.defer(release)
  return { ...body, release }

  function parse(): TextBody | Promise<TextBody> {
    // The thread knows the built-in protocols only.
    const has_thread = protocols === BUILT_IN_REGISTRY
    if (has_thread && bytes.length > MAX_BYTES_ON_LOOP) return threadBody(bodies.parser, bytes, protocol.name)
    const scanned = scanJsonBody(bytes, protocol.text.names, {
      known: bodies.known,
      account_id: admitted.caller.account.id,
    })
    if (has_thread && scanned.values > MAX_VALUES_ON_LOOP)
      return threadBody(bodies.parser, bytes, protocol.name)
    return parsedBody(protocols, parseScanned(scanned))
  }
}
