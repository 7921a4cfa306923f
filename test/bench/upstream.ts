// Owns the recorded upstream: a process that replays the recording over raw sockets, as cheaply as can be.
import type { Socket } from 'bun'
import {
  ANTHROPIC_STREAM,
  GEMINI_STREAM,
  nowMs,
  STREAM_MODEL,
  type StreamRecording,
  WHOLE_ANSWER,
} from './recording.ts'

interface Stream {
  socket: Socket<Connection>
  events_left: number
}

interface Connection {
  received: string
}

const HEAD_OF_WHOLE = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\n'
const HEAD_OF_STREAM =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
const WHOLE = Buffer.from(`${HEAD_OF_WHOLE}Content-Length: ${WHOLE_ANSWER.length}\r\n\r\n${WHOLE_ANSWER}`)

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

/** The streams of one recording and pace, spread over the milliseconds of that pace by when they began. */
class Wheel {
  readonly slots: Set<Stream>[]
  private turned_at_ms = Math.floor(nowMs())
  private readonly ending: Buffer

  constructor(
    private readonly recording: StreamRecording,
    pace_ms: number,
  ) {
    this.ending = Buffer.from(`${chunk(recording.ending)}0\r\n\r\n`)
    this.slots = Array.from({ length: pace_ms }, () => new Set<Stream>())
  }

  add(stream: Stream): void {
    this.slot(Math.floor(nowMs())).add(stream)
  }

  /** Sends the events of all milliseconds since the last turn. */
  turn(): void {
    const until_ms = Math.floor(nowMs())
    const from_ms = Math.max(this.turned_at_ms, until_ms - this.slots.length) + 1
    for (let at_ms = from_ms; at_ms <= until_ms; at_ms++) this.send(this.slot(at_ms))
    this.turned_at_ms = until_ms
  }

  private slot(at_ms: number): Set<Stream> {
    const slot = this.slots[at_ms % this.slots.length]
    if (!slot) throw new RangeError('a wheel needs a pace of at least 1 ms')
    return slot
  }

  private send(slot: Set<Stream>): void {
    if (slot.size === 0) return
    const event = Buffer.from(chunk(this.recording.eventAt(nowMs())))
    for (const stream of slot) {
      if (stream.events_left > 0) {
        write(stream.socket, event)
        stream.events_left--
      } else {
        write(stream.socket, this.ending)
        slot.delete(stream)
      }
    }
  }
}

const wheels = new Map<string, Wheel>()

function wheelOf(recording: StreamRecording, pace_ms: number): Wheel {
  const name = `${recording.name} ${pace_ms}`
  const wheel = wheels.get(name) ?? new Wheel(recording, pace_ms)
  wheels.set(name, wheel)
  return wheel
}

/** A reader that is this slow would falsify the measure, so that it is cut. */
function write(socket: Socket<Connection>, bytes: Uint8Array): void {
  if (socket.readyState <= 0) return
  if (socket.write(bytes) !== bytes.byteLength) socket.terminate()
}

/** A model whose name says that it streams is streamed, be it named in the path or in the body. */
function answer(socket: Socket<Connection>, request: string): void {
  const stream = STREAM_MODEL.exec(request)
  if (!stream) {
    write(socket, WHOLE)
    return
  }
  const [, events, pace_ms] = stream.map(Number)
  const recording = request.startsWith('POST /v1/messages ') ? ANTHROPIC_STREAM : GEMINI_STREAM
  const first = recording.opening + recording.eventAt(nowMs())
  write(socket, Buffer.from(HEAD_OF_STREAM + chunk(first)))
  wheelOf(recording, pace_ms ?? 1).add({ socket, events_left: (events ?? 1) - 1 })
}

/** The first request in `text` taken off it; undefined while it has not come whole. */
function takeRequest(text: string): { request: string; rest: string } | undefined {
  const head_end = text.indexOf('\r\n\r\n')
  if (head_end < 0) return undefined
  const head = text.slice(0, head_end)
  const body_start = head_end + 4
  const length = /content-length: (\d+)/i.exec(head)
  const chunks_end = length ? -1 : text.indexOf('0\r\n\r\n', body_start)
  const end = length ? body_start + Number(length[1]) : chunks_end + 5
  if (end > text.length || (!length && chunks_end < 0)) return undefined
  return { request: text.slice(0, end), rest: text.slice(end) }
}

const server = Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      socket.data = { received: '' }
      socket.setNoDelay(true)
    },
    data(socket, bytes) {
      socket.data.received += bytes.toString('latin1')
      for (;;) {
        const taken = takeRequest(socket.data.received)
        if (!taken) return
        socket.data.received = taken.rest
        answer(socket, taken.request)
      }
    },
  },
})

setInterval(() => {
  for (const wheel of wheels.values()) wheel.turn()
}, 1)

process.stdout.write(`${server.port}\n`)
