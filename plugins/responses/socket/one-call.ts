// One response that is asked for over a WebSocket, as the very call that POST makes: a request, an origin, and the answer or failure.
import type { Surface } from '../../../src/app/surface/origin.ts'
import type { CallOrigin } from '../../../src/calls/life/call.ts'
import type { Sockets } from '../../../src/http/sockets.ts'

/** A connection, by the request that opened it. */
export interface Handshake {
  /** Its own; each call has another. */
  request_id: string
  url: string
  /** The headers that its calls have, too. */
  headers: Headers
  credential: string | undefined
  address: string | undefined
}

/** Of the connection, or of one message. A key of idempotency is for one call: another would get the answer of the first. */
const NOT_CARRIED =
  /^(?:connection|upgrade|sec-websocket-.*|idempotency-key|content-(?:length|type|encoding)|transfer-encoding|te|trailer|expect|keep-alive)$/

export function handshakeOf({ request, request_id, credential, sockets }: CallOrigin): Handshake {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of request.headers) if (!NOT_CARRIED.test(name)) headers.set(name, value)
  const address = sockets()?.requestIP(request)?.address
  return { request_id, url: request.url, headers, credential, address }
}

interface SentBody {
  bytes: Uint8Array
  /** Told when the call takes it. */
  onTaken: () => void
}

/** The origin of a call. The gateway reads its answer, and passes it on in messages. */
export function originOver(
  { url, headers: carried, credential, address }: Handshake,
  { surface, render }: Surface,
  { request_id, body, signal }: { request_id: string; body: SentBody; signal: AbortSignal },
): CallOrigin {
  const headers = new Headers(carried)
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

/** Nothing is read of it before the call has room for it. */
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
