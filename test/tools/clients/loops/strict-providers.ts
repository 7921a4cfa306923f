// The simulator on a socket, with a record of all requests, answers and counts of its providers.
import type { JsonObject } from '../../../../src/protocols/wire/json.ts'
import type { Totals } from '../../../providers/answer.ts'
import { createSimulator, type SimulatorOptions } from '../../../providers/index.ts'

/** One request to a provider, and its answer. */
export interface Exchange {
  readonly path: string
  readonly body: JsonObject
  readonly status: number
  /** The answer as sent: JSON, or the events of a stream. */
  readonly answer: string
  /** The usage that the provider would bill; undefined for a refusal. */
  readonly totals: Totals | undefined
}

export interface StrictProviders extends AsyncDisposable {
  readonly url: string
  /** The ended exchanges, in the order of their ends. */
  readonly exchanges: readonly Exchange[]
  /** The characters of all answers so far, those under way included. */
  sent(): number
}

interface StrictOptions extends Pick<SimulatorOptions, 'sleep'> {
  /** Replaces the body of each request. */
  read?: (body: string) => string
}

/** Starts them at a port of their own. @param sleep absent for no pauses, even if the names of their models demand them */
export function startStrictProviders({ sleep = async () => {}, read }: StrictOptions = {}): StrictProviders {
  const exchanges: Exchange[] = []
  const requests = new Map<Request, { body: JsonObject; call: number }>()
  const totals = new Map<number, Totals>()
  let sent_chars = 0
  const simulator = createSimulator({
    sleep,
    onEvent(event) {
      if (event.kind === 'request')
        requests.set(event.request, { body: (event.body ?? {}) as JsonObject, call: event.call })
      if (event.kind === 'finished') totals.set(event.call, event.totals)
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
      // The gateway has disconnected: the answer is the part sent until then.
    }
    const { body = {}, call = 0 } = requests.get(request) ?? {}
    requests.delete(request)
    exchanges.push({ path: new URL(request.url).pathname, body, status, answer, totals: totals.get(call) })
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
