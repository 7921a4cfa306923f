// Pipelined requests: how many of one connection are served in a turn of the event loop.

type Serve = (request: Request) => Response | Promise<Response>

interface Socket {
  address: string
  port: number
}

/** So many requests of all connections are served before those that follow in their turn are looked at. */
const MAX_UNSEEN_REQUESTS = 64
/** Of a connection, of those that are looked at. A caller who sends fewer in one write never meets it. */
const MAX_REQUESTS_OF_CONNECTION = 16

/**
 * The runtime (Bun 1.4.5) parses and serves all requests of a read, up to 512 kB, in one turn of the event loop, so that a write of
 * 20,000 keeps everybody waiting for seconds. After an answer with `connection: close` it drops the rest, which the caller has to
 * send again (RFC 9112, 9.3.2). A connection gets one once it has had enough of a turn. Turns are counted only from every 64th
 * request on: an immediate for each costs a small call a turn of the event loop.
 *
 * @param peerOf the other end of a request's connection; null for requests that came over none
 * @returns what goes around an application that serves requests
 */
export function boundPipelining(peerOf: (request: Request) => Socket | null): (serve: Serve) => Serve {
  let requests = 0
  const connections = new Map<string, number>()
  function endTurn(): void {
    requests = 0
    connections.clear()
  }
  function hasHadEnough(request: Request): boolean {
    const peer = peerOf(request)
    if (peer === null) return false
    const connection = `${peer.address} ${peer.port}`
    const of_connection = (connections.get(connection) ?? 0) + 1
    connections.set(connection, of_connection)
    return of_connection > MAX_REQUESTS_OF_CONNECTION
  }
  return (serve) => (request) => {
    requests += 1
    if (requests === MAX_UNSEEN_REQUESTS) setImmediate(endTurn)
    if (requests <= MAX_UNSEEN_REQUESTS || !hasHadEnough(request)) return serve(request)
    const answer = serve(request)
    return answer instanceof Promise ? answer.then(closing) : closing(answer)
  }
}

function closing(answer: Response): Response {
  answer.headers.set('connection', 'close')
  return answer
}
