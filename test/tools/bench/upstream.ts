// The recorded upstream: a process that replays the recording over raw sockets, as cheaply as possible.
import type { Socket } from 'bun'
import {
  ANTHROPIC_STREAM,
  ANTHROPIC_WHOLE,
  GEMINI_STREAM,
  GEMINI_WHOLE,
  nowMs,
  OPENAI_STREAM,
  OPENAI_WHOLE,
  STREAM_MODEL,
  type StreamRecording,
} from './recording.ts'

interface Stream {
  socket: Socket<Connection>
  events_left: number
}

interface Connection {
  received: string
  /** The number of characters that must arrive before the request is worth another look. */
  wanted: number
}

const HEAD_OF_WHOLE = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\n'
const HEAD_OF_STREAM =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
const wholeAnswer = (body: string): Buffer =>
  Buffer.from(`${HEAD_OF_WHOLE}Content-Length: ${body.length}\r\n\r\n${body}`)

/** The answers of one provider. */
interface Answers {
  readonly whole: Buffer
  readonly stream: StreamRecording
}
const GEMINI: Answers = { whole: wholeAnswer(GEMINI_WHOLE), stream: GEMINI_STREAM }
const ANTHROPIC: Answers = { whole: wholeAnswer(ANTHROPIC_WHOLE), stream: ANTHROPIC_STREAM }
/** The answer for gateways that list a provider's models when they start. */
const NO_MODELS = wholeAnswer(JSON.stringify({ object: 'list', data: [] }))
const OPENAI: Answers = { whole: wholeAnswer(OPENAI_WHOLE), stream: OPENAI_STREAM }

/** The answers of the provider that the path belongs to. */
const answersTo = (request: string): Answers => {
  if (request.startsWith('POST /v1/messages ')) return ANTHROPIC
  return request.startsWith('POST /v1/chat/completions ') ? OPENAI : GEMINI
}

/** The part of a request with the name of the model: its head and the start of its body. */
const MODEL_WITHIN_CHARS = 4_096

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

/** The streams of one recording and pace, in one slot for each millisecond of that pace, by when they began. */
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

/** A reader too slow to take it all at once would falsify the measure, so its connection is closed. */
function write(socket: Socket<Connection>, bytes: Uint8Array): void {
  if (socket.readyState <= 0) return
  if (socket.write(bytes) !== bytes.byteLength) socket.terminate()
}

/** Answers a request, by a stream if the model's name in its path or body names one. */
function answer(socket: Socket<Connection>, request: string): void {
  if (request.startsWith('GET ')) {
    write(socket, NO_MODELS)
    return
  }
  const answers = answersTo(request)
  const stream = STREAM_MODEL.exec(request.slice(0, MODEL_WITHIN_CHARS))
  if (!stream) {
    write(socket, answers.whole)
    return
  }
  const [, events, pace_ms] = stream.map(Number)
  const recording = answers.stream
  const first = recording.opening + recording.eventAt(nowMs())
  write(socket, Buffer.from(HEAD_OF_STREAM + chunk(first)))
  wheelOf(recording, pace_ms ?? 1).add({ socket, events_left: (events ?? 1) - 1 })
}

/** The end of the first request in `text`; if it is incomplete, the wanted length: at least one character more. */
function requestEnd(text: string): { end: number } | { wanted: number } {
  const more = { wanted: text.length + 1 }
  const head_end = text.indexOf('\r\n\r\n')
  if (head_end < 0) return more
  const body_start = head_end + 4
  if (text.startsWith('GET ')) return { end: body_start }
  const length = /content-length: (\d+)/i.exec(text.slice(0, head_end))
  if (length) {
    const end = body_start + Number(length[1])
    return end > text.length ? { wanted: end } : { end }
  }
  const chunks_end = text.indexOf('0\r\n\r\n', body_start)
  return chunks_end < 0 ? more : { end: chunks_end + 5 }
}

const server = Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      socket.data = { received: '', wanted: 1 }
      socket.setNoDelay(true)
    },
    data(socket, bytes) {
      const { data } = socket
      data.received += bytes.toString('latin1')
      while (data.received.length >= data.wanted) {
        const found = requestEnd(data.received)
        if ('wanted' in found) {
          data.wanted = found.wanted
          return
        }
        answer(socket, data.received.slice(0, found.end))
        data.received = data.received.slice(found.end)
        data.wanted = 1
      }
    },
  },
})

setInterval(() => {
  for (const wheel of wheels.values()) wheel.turn()
}, 1)

process.stdout.write(`${server.port}\n`)
