// A limit on the pipelined requests of one connection that are served in one turn of the event loop.

type Serve = (request: Request) => Response | Promise<Response>

interface Socket {
  address: string
  port: number
}

/** Requests of all connections per turn that are not counted; later ones in the turn are. */
const MAX_UNCOUNTED_REQUESTS = 64
/** Counted requests per connection. A caller that sends fewer in one write is never limited. */
const MAX_REQUESTS_OF_CONNECTION = 16

/**
 * The runtime (Bun 1.4.5) parses and serves all requests of a read, up to 512 kB, in one turn of the event loop, so that 20,000 requests
 * in one write delay all callers by seconds. After an answer with `connection: close` it drops the rest, which the caller must
 * send again (RFC 9112, 9.3.2). A connection over its limit in a turn gets such an answer. The end of a turn is scheduled only at its 64th
 * request, since an immediate for each request would cost small calls a turn of the event loop.
 *
 * @param peerOf the peer of a request's connection; null for requests without a connection
 * @returns a wrapper of the application
 */
export function boundPipelining(peerOf: (request: Request) => Socket | null): (serve: Serve) => Serve {
  let requests = 0
  const connections = new Map<string, number>()
  function endTurn(): void {
    requests = 0
    connections.clear()
  }
  function isOverLimit(request: Request): boolean {
    const peer = peerOf(request)
    if (peer === null) return false
    const connection = `${peer.address} ${peer.port}`
    const of_connection = (connections.get(connection) ?? 0) + 1
    connections.set(connection, of_connection)
    return of_connection > MAX_REQUESTS_OF_CONNECTION
  }
  return (serve) => (request) => {
    requests += 1
    if (requests === MAX_UNCOUNTED_REQUESTS) setImmediate(endTurn)
    if (requests <= MAX_UNCOUNTED_REQUESTS || !isOverLimit(request)) return serve(request)
    const answer = serve(request)
    return answer instanceof Promise ? answer.then(closing) : closing(answer)
  }
}

function closing(answer: Response): Response {
  answer.headers.set('connection', 'close')
  return answer
}
