// A scripted upstream: a server on a real socket that answers byte for byte as a test defines, and records its requests.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createCounter } from './counter.ts'
import { openReceipt, type Receipt } from './receipts.ts'

/** One thing that an answer's body does, in the order of the script. */
export type Step =
  /** Bytes as they are, in a packet of their own. */
  | { send: string | Uint8Array }
  /** One server-sent event; anything but a string is written as JSON. */
  | { event: unknown }
  /** Nothing, until this is resolved. */
  | { wait: Promise<unknown> }
  /** Tells the test that the script has come this far. */
  | { tell: () => void }
  /** Nothing, until the gateway has read all that was sent. */
  | 'read'
  /** The connection is reset; after some bytes, not before the gateway has read them. */
  | 'reset'
  /** Nothing more is ever sent. */
  | 'hang'

/** What is answered to one request. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  /**
   * Headers go out before the first step; without any step the answer is empty. With `reset` or `hang` as the first
   * step not even headers are sent.
   */
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
  /** Resolves with the request that makes `seen` this long. */
  sees(count: number): Promise<Seen>
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

/** A stream of server-sent events. */
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

/** A connection that is reset before any answer. */
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

/** A script that answers only when it is told to, and tells when it was asked. */
export function heldBack(script: Script): { script: Script; asked: Promise<void>; release: () => void } {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    async script(seen, index) {
      asked.resolve()
      await released.promise
      return typeof script === 'function' ? script(seen, index) : script
    },
    asked: asked.promise,
    release: released.resolve,
  }
}

/** Starts an upstream on a free port of this machine. @param tls its certificate and key, if it is asked by https */
export async function startUpstream(
  script: Script = refusal(500, 'no answer was scripted'),
  tls?: { cert: Buffer; key: Buffer },
): Promise<Upstream> {
  const seen: Seen[] = []
  const requests = createCounter()
  let current = script
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const over = Promise.withResolvers<void>()
    const record = await readRequest(request, over.promise)
    response.on('close', () => {
      record.aborted = !response.writableFinished
      over.resolve()
    })
    const index = seen.push(record) - 1
    requests.add()
    await perform(typeof current === 'function' ? await current(record, index) : current, request, response)
  }
  // What fails in it fails the test, as an error that nothing catches.
  const listener: RequestListener = (request, response) => void serve(request, response)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  // Or a call may go by a connection that is closed at this moment, which is a failure of the provider.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${address.port}`,
    seen,
    last() {
      const last = seen.at(-1)
      if (!last) throw new Error('the upstream saw no request')
      return last
    },
    async sees(count) {
      for (;;) {
        const request = seen[count - 1]
        if (request) return request
        await requests.reaches(requests.count + 1)
      }
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

async function perform(answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, steps } = answer
  if (steps[0] === 'reset') return void request.socket.resetAndDestroy()
  if (steps[0] === 'hang') return
  const receipt = steps.some((step) => step === 'read' || step === 'reset') ? openReceipt() : undefined
  response.writeHead(status, { ...headers, ...receipt?.headers })
  response.flushHeaders()
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
  void closed.then(receipt?.close)
  let sent_bytes = 0
  for (const step of steps) {
    if (response.destroyed || step === 'hang') return
    if (step === 'read' || step === 'reset') await untilRead(receipt, sent_bytes, closed)
    else if ('wait' in step) await step.wait
    else if ('tell' in step) step.tell()
    else sent_bytes += await write(response, 'send' in step ? step.send : eventBytes(step.event), closed)
    if (step === 'reset') return void request.socket.resetAndDestroy()
  }
  response.end()
}

/** Until the gateway has read this much, or has left. */
const untilRead = async (receipt: Receipt | undefined, bytes: number, closed: Promise<void>): Promise<void> =>
  Promise.race([receipt?.wasRead(bytes), closed])

/** Writes a packet, and waits until the other side takes more. @returns its bytes */
async function write(
  response: ServerResponse,
  bytes: string | Uint8Array,
  closed: Promise<void>,
): Promise<number> {
  const taken = response.write(bytes)
  if (!taken) await Promise.race([new Promise<void>((resolve) => response.once('drain', resolve)), closed])
  await new Promise((resolve) => setImmediate(resolve))
  return Buffer.byteLength(bytes)
}

const asText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))
