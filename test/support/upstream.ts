// Owns a vendor that does what a test says: it replays answers over a real socket, byte for byte, and keeps what it saw.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** One thing that an answer's body does, in the order of the script. */
export type Step =
  /** Bytes as they are, in a packet of their own. */
  | { send: string | Uint8Array }
  /** One server-sent event; what is no string is written as JSON. */
  | { event: unknown }
  /** Nothing, for so long, or until something happened. */
  | { wait: number | Promise<unknown> }
  /** The connection breaks, here. */
  | 'reset'
  /** Nothing more is ever sent. */
  | 'hang'

/** What is answered to one request. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  /** Headers go out before the first step; without any step the answer is empty. `reset` as the only step sends not even headers. */
  steps: readonly Step[]
}

/** One request as it came. */
export interface Seen {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: Buffer
  /** The other side closed the connection before the answer was complete. */
  aborted: boolean
  /** Resolves when the request is over, whichever way. */
  over: Promise<void>
}

export type Script = Answer | ((seen: Seen, index: number) => Answer | Promise<Answer>)

export interface Upstream extends AsyncDisposable {
  url: string
  /** All requests, the oldest first. */
  seen: Seen[]
  /** The request that came last. */
  last(): Seen
  /** What is answered from now on. */
  answer(script: Script): void
}

const SSE = { 'content-type': 'text/event-stream' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** A whole answer; text is sent as it is written. */
export const whole = (body: unknown, headers: Record<string, string> = {}): Answer => ({
  headers: { ...JSON_TYPE, ...headers },
  steps: [{ send: asText(body) }],
})

/** A stream: objects and texts are events, steps are done. */
export const stream = (...steps: readonly Step[]): Answer => ({ headers: SSE, steps })

/** A stream of these events, and its end. */
export const events = (payloads: readonly unknown[]): Answer =>
  stream(...payloads.map((event) => ({ event })))

/** An error status. */
export const refusal = (
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Answer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  steps: [{ send: asText(body) }],
})

/** A connection that breaks before any answer. */
export const RESET: Answer = { steps: ['reset'] }
/** A connection on which no answer ever comes. */
export const SILENCE: Answer = { steps: ['hang'] }

/** The bytes of a step's event. */
export const eventBytes = (payload: unknown): Buffer => Buffer.from(`data: ${asText(payload)}\n\n`)

/** The packets that bytes make when they are split at these places. */
export const splitAt = (bytes: Uint8Array | string, ...places: readonly number[]): Step[] => {
  const buffer = Buffer.from(bytes)
  return [0, ...places].map((from, index) => ({ send: buffer.subarray(from, places[index]) }))
}

/** A body that is sent in chunks, its length not announced. */
export const inChunks = (body: Uint8Array | string, chunk_bytes: number): ReadableStream<Uint8Array> => {
  const bytes = Buffer.from(body)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + chunk_bytes))
      at += chunk_bytes
    },
  })
}

/** Starts a vendor on a free port of this machine. */
export async function startUpstream(
  script: Script = refusal(500, 'no answer was scripted'),
): Promise<Upstream> {
  const seen: Seen[] = []
  let current = script
  const server = createServer(async (request, response) => {
    const over = Promise.withResolvers<void>()
    const record = await readRequest(request, over.promise)
    response.on('close', () => {
      record.aborted = !response.writableFinished
      over.resolve()
    })
    const index = seen.push(record) - 1
    await perform(typeof current === 'function' ? await current(record, index) : current, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    last() {
      const last = seen.at(-1)
      if (!last) throw new Error('the upstream saw no request')
      return last
    },
    answer: (next) => {
      current = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function readRequest(request: IncomingMessage, over: Promise<void>): Promise<Seen> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers),
    body: Buffer.concat(parts),
    aborted: false,
    over,
  }
}

const UNTIL_READ_MS = 20

async function perform(answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [first] = answer.steps
  if (first === 'reset') return void request.socket.destroy()
  if (first === 'hang') return
  response.writeHead(answer.status ?? 200, answer.headers ?? {})
  response.flushHeaders()
  for (const step of answer.steps) {
    if (response.destroyed || step === 'hang') return
    if (step === 'reset') {
      // A reset overtakes what the other side has not read yet.
      await Bun.sleep(UNTIL_READ_MS)
      return void request.socket.destroy()
    }
    if ('wait' in step) await (typeof step.wait === 'number' ? Bun.sleep(step.wait) : step.wait)
    else await write(response, 'send' in step ? step.send : eventBytes(step.event))
  }
  response.end()
}

/** Written, and taken by the other side as far as its window goes; a packet of its own. */
async function write(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  const taken = response.write(bytes)
  if (!taken) {
    await new Promise<void>((resolve) => {
      response.once('drain', resolve)
      response.once('close', resolve)
    })
  }
  await new Promise((resolve) => setImmediate(resolve))
}

const asText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))
