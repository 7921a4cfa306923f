// The conversion of a WebSocket message into the call that the equivalent POST would make.
import type { Surface } from '../../../src/app/surface/origin.ts'
import type { CallOrigin } from '../../../src/calls/life/call.ts'
import type { Sockets } from '../../../src/http/sockets.ts'

/** The facts of the request that opened a connection. */
export interface Handshake {
  /** The id of the handshake; each call has its own. */
  request_id: string
  url: string
  /** The headers that calls of the connection inherit. */
  headers: Headers
  credential: string | undefined
  address: string | undefined
}

/** Headers of the connection or of one body, and Idempotency-Key, which would give all calls the answer of the first. */
const NOT_INHERITED =
  /^(?:connection|upgrade|sec-websocket-.*|idempotency-key|content-(?:length|type|encoding)|transfer-encoding|te|trailer|expect|keep-alive)$/

export function handshakeOf({ request, request_id, credential, sockets }: CallOrigin): Handshake {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of request.headers) if (!NOT_INHERITED.test(name)) headers.set(name, value)
  const address = sockets()?.requestIP(request)?.address
  return { request_id, url: request.url, headers, credential, address }
}

interface SentBody {
  bytes: Uint8Array
  /** Called when the call reads the body. */
  onTaken: () => void
}

/** Makes the origin of a call whose answer the gateway reads and sends as messages. */
export function originOver(
  { url, headers: inherited, credential, address }: Handshake,
  { surface, render }: Surface,
  { request_id, body, signal }: { request_id: string; body: SentBody; signal: AbortSignal },
): CallOrigin {
  const headers = new Headers(inherited)
  headers.set('content-length', String(body.bytes.length))
  const request = new Request(url, { method: 'POST', headers, body: streamOf(body), signal })
  const sockets: Sockets = {
    requestIP: () => (address === undefined ? null : { address }),
    timeout: () => undefined,
  }
  return {
    request,
    request_id,
    surface,
    credential,
    sockets: () => sockets,
    render,
    read_by: 'gateway',
    known: {},
  }
}

/** A stream that is read only when the call has memory for the body. */
const streamOf = ({ bytes, onTaken }: SentBody): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(bytes)
        controller.close()
        onTaken()
      },
    },
    { highWaterMark: 0 },
  )
