// The load: a process that makes calls over raw keep-alive sockets and reports their times.
import type { Socket } from 'bun'
import { CALL_DIGITS, CALL_MARK } from './agent.ts'
import { cpuMs } from './processes.ts'
import { nowMs, STAMP_LENGTH, STAMP_MARK } from './recording.ts'
import { type Spread, spreadOf } from './report.ts'
import type { CallRequest } from './requests.ts'
import { type Progress, watchSteady } from './steady.ts'

export interface LoadOptions {
  readonly port: number
  readonly request: CallRequest
  readonly api_key: string
  readonly connections: number
  /** The number of calls on all connections together. */
  readonly calls: number
  /** The pause of a connection between two calls; 0 for none. */
  readonly pause_ms: number
  /** The time over which the connections begin. */
  readonly ramp_ms: number
  /** The process whose CPU time is read while all streams flow. */
  readonly watched_pid?: number
}

export interface LoadResult {
  readonly calls: number
  readonly failures: number
  /** The start of the first failed answer; empty if there was none. */
  readonly first_failure: string
  readonly duration_ms: number
  /** Events of streams with the time of their sending. */
  readonly events: number
  /** The progress while all streams flowed at once; null if they never did, or if no process was watched. */
  readonly steady: Progress | null
  readonly latency_ms: Spread
  readonly first_byte_ms: Spread
  /** The time from the sending of an event by the upstream until its arrival. */
  readonly chunk_delay_ms: Spread
}

interface Caller {
  /** The number of written bytes of the request; the rest follows when the socket drains. */
  written_bytes: number
  received: Buffer
  /** The length of the answer's body; unknown until its head has arrived. */
  body_bytes: number | 'unknown' | 'chunked'
  started_at_ms: number
  first_byte: boolean
}

const EMPTY = Buffer.alloc(0)
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')
const MARK = Buffer.from(STAMP_MARK)
const SAMPLE_EVERY_MS = 50

function bytesOf({ request, port, api_key }: LoadOptions): Buffer {
  const headers = {
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    'User-Agent': 'load/1',
    Accept: '*/*',
    ...request.headers,
    [request.key_header]: api_key,
    'Content-Length': Buffer.byteLength(request.body),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n${request.body}`)
}

/** Writes the number of each call into its request, wherever that has a place for it. */
function numberIn(request: Buffer): (call: number) => void {
  const places: number[] = []
  for (let at = request.indexOf(CALL_MARK); at >= 0; at = request.indexOf(CALL_MARK, at + 1))
    places.push(at + CALL_MARK.length)
  return (call) => {
    if (places.length === 0) return
    const digits = String(call).padStart(CALL_DIGITS, '0')
    for (const place of places) request.write(digits, place, 'latin1')
  }
}

/** Makes the calls. Ends with the last answer, or with the first failure. */
async function run(options: LoadOptions): Promise<LoadResult> {
  const latencies_ms: number[] = []
  const first_bytes_ms: number[] = []
  const chunk_delays_ms: number[] = []
  let started_calls = 0
  let failures = 0
  let first_failure = ''
  const { promise: all_done, resolve } = Promise.withResolvers<void>()
  const request = bytesOf(options)
  // All connections share the bytes: a request that is half written may get a later number at its end.
  const number = numberIn(request)
  const first_call = Date.now() % 10 ** (CALL_DIGITS - 1)
  const { watched_pid } = options
  const steady = watchSteady(Math.min(options.connections, options.calls), () => ({
    cpu_ms: watched_pid === undefined ? 0 : cpuMs(watched_pid),
    events: chunk_delays_ms.length,
  }))

  /** A large request does not fit into the socket's buffer at once. */
  const writeRest = (socket: Socket<Caller>): void => {
    const { data } = socket
    if (data.written_bytes >= request.length) return
    const rest = data.written_bytes === 0 ? request : request.subarray(data.written_bytes)
    data.written_bytes += Math.max(socket.write(rest), 0)
  }

  const begin = (socket: Socket<Caller>): void => {
    if (started_calls >= options.calls) return
    started_calls++
    number(first_call + started_calls)
    socket.data = {
      written_bytes: 0,
      received: EMPTY,
      body_bytes: 'unknown',
      started_at_ms: nowMs(),
      first_byte: false,
    }
    writeRest(socket)
  }

  const finish = (socket: Socket<Caller>): void => {
    latencies_ms.push(nowMs() - socket.data.started_at_ms)
    if (latencies_ms.length + failures >= options.calls) resolve()
    else if (options.pause_ms === 0) begin(socket)
    // The pause is part of the load: it sets how many calls a connection makes in a second.
    else setTimeout(begin, options.pause_ms, socket)
  }

  const fail = (socket: Socket<Caller>, text: string): void => {
    failures++
    first_failure ||= text
    socket.terminate()
    resolve()
  }

  const readHead = (socket: Socket<Caller>, bytes: Buffer): Buffer | undefined => {
    const head_end = bytes.indexOf('\r\n\r\n')
    if (head_end < 0) return undefined
    const head = bytes.toString('latin1', 0, head_end)
    if (!head.startsWith('HTTP/1.1 200')) {
      fail(socket, bytes.toString('utf8', 0, 1_000))
      return undefined
    }
    const length = /content-length: (\d+)/i.exec(head)
    socket.data.body_bytes = length ? Number(length[1]) : 'chunked'
    return bytes.subarray(head_end + 4)
  }

  /** Records the delays of the events in `bytes`, and keeps bytes in which another may begin for later. */
  const readStamps = (caller: Caller, bytes: Buffer): void => {
    const now_ms = nowMs()
    let from = 0
    for (;;) {
      const mark = bytes.indexOf(MARK, from)
      const stamp = mark + MARK.length
      if (mark < 0 || stamp + STAMP_LENGTH > bytes.length) break
      chunk_delays_ms.push(now_ms - Number(bytes.toString('latin1', stamp, stamp + STAMP_LENGTH)))
      from = stamp + STAMP_LENGTH
    }
    caller.received = bytes.subarray(Math.max(from, bytes.length - MARK.length - STAMP_LENGTH))
  }

  const receive = (socket: Socket<Caller>, bytes: Buffer): void => {
    const caller = socket.data
    const all = caller.received.length > 0 ? Buffer.concat([caller.received, bytes]) : bytes
    const body = caller.body_bytes === 'unknown' ? readHead(socket, all) : all
    if (!body) {
      caller.received = all
      return
    }
    if (!caller.first_byte && body.length > 0) {
      caller.first_byte = true
      first_bytes_ms.push(nowMs() - caller.started_at_ms)
      if (caller.body_bytes === 'chunked') steady.started()
    }
    if (caller.body_bytes === 'chunked') {
      readStamps(caller, body)
      if (!body.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)) return
      steady.ended()
      finish(socket)
      return
    }
    caller.received = body
    if (caller.body_bytes !== 'unknown' && body.length >= caller.body_bytes) finish(socket)
  }

  if (watched_pid !== undefined) setInterval(steady.sample, SAMPLE_EVERY_MS)
  const started_at_ms = nowMs()
  const opened: Promise<Socket<Caller>>[] = []
  for (let i = 0; i < options.connections; i++) {
    const wait_ms = started_at_ms + (options.ramp_ms * i) / options.connections - nowMs()
    // The ramp is part of the load: connections begin at set times.
    if (wait_ms > 1) await Bun.sleep(wait_ms)
    opened.push(
      Bun.connect<Caller>({
        hostname: '127.0.0.1',
        port: options.port,
        socket: {
          open(socket) {
            socket.setNoDelay(true)
            begin(socket)
          },
          data: receive,
          drain: writeRest,
          close(socket) {
            if (started_calls < options.calls || latencies_ms.length + failures < options.calls) {
              fail(socket, 'the connection was closed')
            }
          },
        },
      }),
    )
  }
  await all_done
  const duration_ms = nowMs() - started_at_ms
  return {
    calls: latencies_ms.length,
    failures,
    first_failure,
    duration_ms,
    events: chunk_delays_ms.length,
    steady: watched_pid === undefined ? null : steady.window(),
    latency_ms: spreadOf(latencies_ms),
    first_byte_ms: spreadOf(first_bytes_ms),
    chunk_delay_ms: spreadOf(chunk_delays_ms),
  }
}

if (import.meta.main) {
  // Not by an argument, which Linux limits to 128 KB.
  const options = JSON.parse(await Bun.stdin.text()) as LoadOptions
  process.stdout.write(JSON.stringify(await run(options)))
  process.exit(0)
}
