// The simulator on a socket, which keeps what each of its providers was sent, what it answered and what it counted.
import type { JsonObject } from '../../../../src/protocols/wire/json.ts'
import type { Totals } from '../../../providers/answer.ts'
import { createSimulator, type SimulatorOptions } from '../../../providers/index.ts'

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
  /** The characters of all answers so far, those under way included. */
  sent(): number
}

interface StrictOptions extends Pick<SimulatorOptions, 'sleep'> {
  /** What is read instead of a body. */
  read?: (body: string) => string
}

/** Starts them at a port of their own. @param sleep without it they take no pauses, whatever the names of their models say */
export function startStrictProviders({ sleep = async () => {}, read }: StrictOptions = {}): StrictProviders {
  const exchanges: Exchange[] = []
  const asked = new Map<Request, { body: JsonObject; call: number }>()
  const counted = new Map<number, Totals>()
  let sent_chars = 0
  const simulator = createSimulator({
    sleep,
    onEvent(event) {
      if (event.kind === 'request')
        asked.set(event.request, { body: (event.body ?? {}) as JsonObject, call: event.call })
      if (event.kind === 'finished') counted.set(event.call, event.totals)
    },
  })
  const keep = async (request: Request, status: number, sent: ReadableStream<Uint8Array>) => {
    let answer = ''
    try {
      for await (const text of sent.pipeThrough(new TextDecoderStream())) {
        answer += text
        sent_chars += text.length
      }
    } catch {
      // The gateway has left: what came until then is the answer.
    }
    const { body = {}, call = 0 } = asked.get(request) ?? {}
    asked.delete(request)
    exchanges.push({ path: new URL(request.url).pathname, body, status, answer, totals: counted.get(call) })
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(sent_request) {
      const request = read
        ? new Request(sent_request, { body: read(await sent_request.text()) })
        : sent_request
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
    sent: () => sent_chars,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
