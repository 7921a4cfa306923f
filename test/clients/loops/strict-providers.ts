// The simulator on a socket, which keeps what each of its providers was sent, what it answered and what it counted.
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import type { Totals } from '../../../src/simulator/answer.ts'
import { createSimulator } from '../../../src/simulator/index.ts'

/** One request to a provider, and its answer. */
export interface Exchange {
  readonly path: string
  readonly body: JsonObject
  readonly status: number
  /** As it was sent: JSON, or the events of a stream. */
  readonly answer: string
  /** What the provider would bill; undefined for a refusal. */
  readonly totals: Totals | undefined
}

export interface StrictProviders extends AsyncDisposable {
  readonly url: string
  /** In the order in which they ended. */
  readonly exchanges: readonly Exchange[]
}

/** Starts them at a port of their own. */
export function startStrictProviders(): StrictProviders {
  const exchanges: Exchange[] = []
  const asked = new Map<Request, { body: JsonObject; call: number }>()
  const counted = new Map<number, Totals>()
  const simulator = createSimulator({
    sleep: async () => {},
    onEvent(event) {
      if (event.kind === 'request')
        asked.set(event.request, { body: (event.body ?? {}) as JsonObject, call: event.call })
      if (event.kind === 'finished') counted.set(event.call, event.totals)
    },
  })
  const keep = async (request: Request, status: number, sent: ReadableStream<Uint8Array>) => {
    const answer = await new Response(sent).text()
    const { body = {}, call = 0 } = asked.get(request) ?? {}
    asked.delete(request)
    exchanges.push({ path: new URL(request.url).pathname, body, status, answer, totals: counted.get(call) })
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { body, status, headers } = await simulator.fetch(request)
      if (!body) return new Response(null, { status, headers })
      const [sent, kept] = body.tee()
      void keep(request, status, kept)
      return new Response(sent, { status, headers })
    },
  })
  return {
    url: server.url.origin,
    exchanges,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
