// Pipelined requests: how many of one connection are served in a turn of the event loop.

type Serve = (request: Request) => Response | Promise<Response>

interface Socket {
  address: string
  port: number
}

/** So many requests of a turn, of all connections together, are served without looking up their connections. */
const MAX_UNSEEN_REQUESTS = 16

/**
 * The runtime (Bun 1.4.5) parses and serves all requests of a read, up to 512 kB, in one turn of the event loop, so that a write of
 * 20,000 keeps everybody waiting for seconds. After an answer with `connection: close` it drops the rest, which the caller has to
 * send again (RFC 9112, 9.3.2). It gets one from the second request of its connection in a turn that has many. A caller who
 * awaits an answer before the next request never has two in a turn.
 * @param peerOf the other end of a request's connection; null for requests that came over none
 */
export function boundPipelining(peerOf: (request: Request) => Socket | null): (serve: Serve) => Serve {
  let requests = 0
  const connections = new Set<string>()
  function endTurn(): void {
    requests = 0
    connections.clear()
  }
  function isSecond(request: Request): boolean {
    const peer = peerOf(request)
    if (peer === null) return false
    const connection = `${peer.address} ${peer.port}`
    if (connections.has(connection)) return true
    connections.add(connection)
    return false
  }
  return (serve) => (request) => {
    if (requests++ === 0) setImmediate(endTurn)
    if (requests <= MAX_UNSEEN_REQUESTS || !isSecond(request)) return serve(request)
    const answer = serve(request)
    return answer instanceof Promise ? answer.then(closing) : closing(answer)
  }
}

function closing(answer: Response): Response {
  answer.headers.set('connection', 'close')
  return answer
}
