// Answers of every protocol, whole and streamed, distorted in their events, their JSON, their framing and their packets.
import { gzipSync } from 'node:zlib'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { Json } from '../../src/protocols/wire/json.ts'
import { STREAMED } from '../disconnect/streams.ts'
import type { Random } from '../money/ledger/random.ts'
import { frame, readRecording } from '../support/replay.ts'
import { type Answer, type Step, splitAt } from '../support/upstream.ts'
import { distort } from './bodies.ts'

/** The format of a provider's answers. */
export type Wire = BuiltInProtocol | 'responses' | 'transcript' | 'speech' | 'units'

const NAMES: Readonly<Record<BuiltInProtocol, { whole: readonly string[]; stream: readonly string[] }>> = {
  gemini: {
    whole: ['text', 'tools', 'length', 'refused', 'blocked'],
    stream: ['text', 'tools', 'length', 'refused', 'blocked'],
  },
  anthropic: {
    whole: ['text', 'tools', 'length', 'refused'],
    stream: ['text', 'tools', 'length', 'refused'],
  },
  openai: {
    whole: ['text', 'tools', 'length', 'refused', 'logprobs', 'two-answers'],
    stream: [
      'text',
      'tools',
      'length',
      'logprobs',
      'two-answers',
      'ollama',
      'google',
      'openrouter-reasoning',
    ],
  },
}
const isRecorded = (wire: Wire): wire is BuiltInProtocol => wire in NAMES

const STREAM_OF: Readonly<Record<Exclude<Wire, BuiltInProtocol | 'units'>, string>> = {
  responses: 'responses, passed through',
  transcript: 'transcription',
  speech: 'speech as events',
}

const FUNCTION_CALL = {
  type: 'function_call',
  id: 'fc_theirs',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"place":"Oslo"}',
  status: 'completed',
}
const MESSAGE = {
  type: 'message',
  id: 'msg_theirs',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Tides.', annotations: [] }],
}
const WHOLE: Readonly<Record<Exclude<Wire, BuiltInProtocol>, readonly Json[]>> = {
  responses: [
    {
      id: 'resp_theirs',
      object: 'response',
      status: 'completed',
      model: 'upstream-over-responses',
      output: [
        { type: 'reasoning', id: 'rs_theirs', summary: [], encrypted_content: 'gAAAx' },
        MESSAGE,
        FUNCTION_CALL,
      ],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 9,
        total_tokens: 19,
      },
    },
  ],
  transcript: [{ text: 'Tides.', usage: { type: 'tokens', input_tokens: 14, output_tokens: 9 } }],
  speech: [{ error: { message: 'no voice' } }],
  units: [
    { results: [{ index: 0, relevance_score: 0.5 }], meta: { billed_units: { search_units: 2 } } },
    { model: 'upstream-unit-model', results: [{ flagged: false }], usage: { prompt_tokens: 10 } },
  ],
}

const pickFrom = <T>(items: readonly T[], random: Random): T => {
  const [first, ...rest] = items
  if (first === undefined) throw new Error('nothing to choose from')
  return random.pick([first, ...rest])
}

const times = <T>(count: number, value: T, change: (value: T) => T): T => {
  let changed = value
  for (let left = count; left > 0; left--) changed = change(changed)
  return changed
}

/** The events of a recorded stream, as sent. */
function eventsOf(wire: Wire, random: Random): string[] {
  if (wire === 'units') return ['data: {}\n\n']
  if (!isRecorded(wire)) return [...(STREAMED[STREAM_OF[wire]]?.provider.events ?? [])]
  return readRecording(wire, `stream-${pickFrom(NAMES[wire].stream, random)}`).map((payload) =>
    payload === '[DONE]' ? `data: ${payload}\n\n` : frame(wire, payload),
  )
}

/** Errors of every protocol, and events that only resemble one. @param secrets a text that callers must not see */
const errorsOf = (secrets: string): readonly [string, ...string[]] => [
  `data: ${JSON.stringify({ error: { code: 503, message: secrets, status: 'UNAVAILABLE' } })}\n\n`,
  `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: secrets } })}\n\n`,
  `data: ${JSON.stringify({ error: { message: secrets, type: 'server_error', code: 500 } })}\n\n`,
  `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message: secrets })}\n\n`,
  'event: error\n\n',
  'event: error\ndata:\n\n',
  'data: {"error":"in a word"}\n\n',
  'data: {"error":7}\n\n',
  'data: {"error":[]}\n\n',
  'data: {"error":{}}\n\n',
  'data: {"type":"error"}\n\n',
  'data: {"error":\n\n',
]

const withoutOne = (events: readonly string[], random: Random): string[] =>
  events.toSpliced(random.below(events.length), 1)
const inserted = (events: readonly string[], random: Random, event: string): string[] =>
  events.toSpliced(random.below(events.length + 1), 0, event)

type Change = (events: string[], random: Random, secrets: string) => string[]

/** Distortions of a stream's events. */
const EVENT_CHANGES: readonly [Change, ...Change[]] = [
  withoutOne,
  (events, random) => inserted(events, random, pickFrom(events, random)),
  (events, random) => inserted(withoutOne(events, random), random, pickFrom(events, random)),
  (events) => events.toReversed(),
  (events, random) => events.slice(0, random.below(events.length)),
  (events, random, secrets) => inserted(events, random, random.pick(errorsOf(secrets))),
  (events, random, secrets) => [random.pick(errorsOf(secrets)), ...events],
  (events, random) =>
    inserted(
      events,
      random,
      pickFrom(eventsOf(random.pick(['gemini', 'anthropic', 'openai', 'responses']), random), random),
    ),
  (events, random) =>
    inserted(
      events,
      random,
      random.pick([
        'data:\n\n',
        'data: \n\n',
        '\n\n',
        ': ping\n\n',
        'data: [DONE]\n\n',
        'id: 7\nretry: 5\n\n',
        'data: null\n\n',
        'data: []\n\n',
      ]),
    ),
  (events, random) =>
    events.with(random.below(events.length), distortedEvent(pickFrom(events, random), random)),
]

function distortedEvent(event: string, random: Random): string {
  return event.replace(/^data: ?(.*)$/m, (line, data: string) => {
    try {
      return `data: ${JSON.stringify(distort(JSON.parse(data), random))}`
    } catch {
      // Data other than JSON stays, such as the end of OpenAI's streams.
      return line
    }
  })
}

type Reframing = (text: string, random: Random) => string

/** Distortions of a stream's framing. */
const REFRAMINGS: readonly [Reframing, ...Reframing[]] = [
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll('\n\n', '\n\n: comment\n\n'),
  (text) => text.replaceAll('data: ', 'data:'),
  (text) => `\ufeff${text}`,
  (text) => `: ping\n\n:\n\n${text}`,
  (text) => `\n\n\n${text}`,
  (text) => text.trimEnd(),
  (text) => text.replace(/"(model|modelVersion)":"([^"])/g, '"$1":"\\u0067$2'),
  (text) => text.replace(/"(model|modelVersion)":"/g, '"$1":"quo\\"ted\\\\'),
  (text) => text.replace(/"(model|modelVersion)":"[^"]*"/g, '$&,$&'),
  // Data of several lines.
  (text) => text.replaceAll(/^data: ?\{/gm, 'data: {\ndata: '),
  (text, random) => {
    const at = random.below(text.length)
    return `${text.slice(0, at)}${random.pick(['\u0000', '"', '}', '\\', '\n\n', '\ud800', '\u2028'])}${text.slice(at)}`
  },
  (text, random) => text.slice(0, random.below(text.length)),
]

/** The bytes in packets of random length. */
function packetsOf(bytes: Buffer, random: Random): Step[] {
  const cuts = Array.from({ length: random.below(6) }, () => random.below(bytes.length + 1))
  return splitAt(bytes, ...cuts.toSorted((a, b) => a - b))
}

/** An answer in random packets; some are zipped, others end in a reset. */
function answerInPackets(text: string, content_type: string, random: Random): Answer {
  const plain = Buffer.from(text)
  const is_zipped = random.chance(0.1)
  const bytes = is_zipped ? (random.chance(0.5) ? gzipSync(plain) : plain) : plain
  return {
    headers: { 'content-type': content_type, ...(is_zipped ? { 'content-encoding': 'gzip' } : {}) },
    // The bytes sent do not tell how much of a zipped answer was read.
    steps: [...packetsOf(bytes, random), ...(!is_zipped && random.chance(0.1) ? (['reset'] as const) : [])],
  }
}

/** A stream, distorted a little. @param secrets a text that callers must not see */
export function distortedStream(wire: Wire, random: Random, secrets: string): Answer {
  const events = times(random.below(3), eventsOf(wire, random), (list) =>
    list.length === 0 ? list : random.pick(EVENT_CHANGES)(list, random, secrets),
  )
  const text = times(random.below(2), events.join(''), (joined) => random.pick(REFRAMINGS)(joined, random))
  const type = random.chance(0.9)
    ? 'text/event-stream'
    : random.pick(['text/html', 'Text/Event-Stream; charset=utf-8', 'application/json', 'audio/mpeg'])
  return answerInPackets(text, type, random)
}

export function distortedWhole(wire: Wire, random: Random, secrets: string): Answer {
  const answer: Json = isRecorded(wire)
    ? JSON.parse(readRecording(wire, `whole-${pickFrom(NAMES[wire].whole, random)}`)[0] ?? '')
    : pickFrom(WHOLE[wire], random)
  const changed = times(random.below(4), answer, (value) => distort(value, random))
  const text = random.chance(0.05) ? JSON.stringify({ error: { message: secrets } }) : JSON.stringify(changed)
  return answerInPackets(text, random.chance(0.9) ? 'application/json' : 'text/html', random)
}
