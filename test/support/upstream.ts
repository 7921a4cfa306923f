// A scripted upstream: a server on a real socket that answers byte for byte as a test defines, and records its requests.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createCounter } from './counter.ts'
import { openReceipt, type Receipt } from './receipts.ts'

/** One step of the script of an answer's body. */
export type Step =
  /** Sends bytes unchanged, in a separate packet. */
  | { send: string | Uint8Array }
  /** Sends one server-sent event; data other than a string as JSON. */
  | { event: unknown }
  | { wait: Promise<unknown> }
  /** Notifies the test that the script has reached this step. */
  | { tell: () => void }
  /** Waits until the gateway has read all sent bytes. */
  | 'read'
  /** Resets the connection; after sent bytes, only once the gateway has read them. */
  | 'reset'
  /** Sends nothing more, and keeps the connection open. */
  | 'hang'

/** The answer to one request. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  /**
   * Headers go out before the first step; without any step the answer is empty. With `reset` or `hang` as the first
   * step not even headers are sent.
   */
  steps: readonly Step[]
}

/** A received request. */
export interface UpstreamRequest {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: Buffer
  /** Whether the gateway closed the connection before the answer was complete. */
  aborted: boolean
  /** Resolves when the request has ended in any way. */
  over: Promise<void>
}

export type Script = Answer | ((seen: UpstreamRequest, index: number) => Answer | Promise<Answer>)

export interface Upstream extends AsyncDisposable {
  url: string
  /** All requests, oldest first. */
  requests: UpstreamRequest[]
  last(): UpstreamRequest
  /** Resolves with the request number `count`, once it arrives. */
  waitForRequest(count: number): Promise<UpstreamRequest>
  /** Sets the answer to later requests. */
  answer(script: Script): void
}

const SSE = { 'content-type': 'text/event-stream' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** A whole answer. Text is sent unchanged, other data as JSON. */
export const whole = (body: unknown, headers: Record<string, string> = {}): Answer => ({
  headers: { ...JSON_TYPE, ...headers },
  steps: [{ send: asText(body) }],
})

export const stream = (...steps: readonly Step[]): Answer => ({ headers: SSE, steps })

/** A stream with these events that then ends. */
export const events = (payloads: readonly unknown[]): Answer =>
  stream(...payloads.map((event) => ({ event })))

export const refusal = (
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Answer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  steps: [{ send: asText(body) }],
})

/** Resets the connection before any answer. */
export const RESET: Answer = { steps: ['reset'] }
/** Never answers, and keeps the connection open. */
export const SILENCE: Answer = { steps: ['hang'] }

/** The bytes of a step's event. */
export const eventBytes = (payload: unknown): Buffer => Buffer.from(`data: ${asText(payload)}\n\n`)

/** Splits bytes into packets at these positions. */
export const splitAt = (bytes: Uint8Array | string, ...places: readonly number[]): Step[] => {
  const buffer = Buffer.from(bytes)
  return [0, ...places].map((from, index) => ({ send: buffer.subarray(from, places[index]) }))
}

/** A body sent in chunks, without content-length. */
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

/** A script that notifies the test of a request, and answers only when the test says so. */
export function heldBack(script: Script): { script: Script; received: Promise<void>; release: () => void } {
  const received = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    async script(seen, index) {
      received.resolve()
      await released.promise
      return typeof script === 'function' ? script(seen, index) : script
    },
    received: received.promise,
    release: released.resolve,
  }
}

/** Starts an upstream on a free port of this machine. @param tls certificate and key, for HTTPS */
export async function startUpstream(
  script: Script = refusal(500, 'no answer was scripted'),
  tls?: { cert: Buffer; key: Buffer },
): Promise<Upstream> {
  const requests: UpstreamRequest[] = []
  const arrivals = createCounter()
  let current = script
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const over = Promise.withResolvers<void>()
    const record = await readRequest(request, over.promise)
    response.on('close', () => {
      record.aborted = !response.writableFinished
      over.resolve()
    })
    const index = requests.push(record) - 1
    arrivals.add()
    await perform(typeof current === 'function' ? await current(record, index) : current, request, response)
  }
  // An error in the script fails the test as an uncaught error.
  const listener: RequestListener = (request, response) => void serve(request, response)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  // Otherwise the gateway may reuse a connection at the moment when it closes, which counts as a provider failure.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${address.port}`,
    requests,
    last() {
      const last = requests.at(-1)
      if (!last) throw new Error('the upstream saw no request')
      return last
    },
    async waitForRequest(count) {
      for (;;) {
        const request = requests[count - 1]
        if (request) return request
        await arrivals.reaches(arrivals.count + 1)
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

async function readRequest(request: IncomingMessage, over: Promise<void>): Promise<UpstreamRequest> {
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

/** Waits until the gateway has read this many bytes, or disconnected. */
const untilRead = async (receipt: Receipt | undefined, bytes: number, closed: Promise<void>): Promise<void> =>
  Promise.race([receipt?.wasRead(bytes), closed])

/** Writes a packet and waits until the socket accepts more. @returns the number of bytes */
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
