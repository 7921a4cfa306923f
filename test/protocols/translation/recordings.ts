// Recordings and golden files of the translations, and the steps that their tests share.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type {
  AnswerContext,
  Candidate,
  ConversationAnswer,
  PartStart,
  StreamEvent,
  TokenLogprob,
} from '../../../src/protocols/canonical/answer.ts'
import { type Part, parseArguments } from '../../../src/protocols/canonical/parts.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { eventFrame } from '../../../src/upstream/relay.ts'

const FIXTURES = join(import.meta.dir, '../../fixtures')

export const PROTOCOLS: readonly BuiltInProtocol[] = ['gemini', 'anthropic', 'openai']

/** Every ordered pair of two protocols. */
export const PAIRS: readonly (readonly [BuiltInProtocol, BuiltInProtocol])[] = PROTOCOLS.flatMap((one) =>
  PROTOCOLS.filter((other) => other !== one).map((other) => [one, other] as const),
)

export const CONTEXT: AnswerContext = {
  id: 'call-1',
  model: 'asked-model',
  created_s: 1_763_692_800,
  shows_usage: true,
}

const placeOf = (protocol: BuiltInProtocol, name: string): string =>
  protocol === 'gemini' ? `translation/answers/gemini-${name}` : `${protocol}/${name}`

/** The payloads of a recorded stream. */
export const recordedStream = (protocol: BuiltInProtocol, name: string): string[] =>
  readLines(placeOf(protocol, `stream-${name}.jsonl`))

/** A recorded whole answer. */
export const recordedWhole = (protocol: BuiltInProtocol, name: string): JsonObject =>
  JSON.parse(readLines(placeOf(protocol, `whole-${name}.jsonl`))[0] ?? '')

export const readLines = (path: string): string[] =>
  readFileSync(join(FIXTURES, path), 'utf8').trim().split('\n')

export const readRequest = (protocol: BuiltInProtocol, name: string): JsonObject =>
  JSON.parse(readFileSync(join(FIXTURES, `translation/requests/${protocol}-${name}.json`), 'utf8'))

/** The golden text of a name. With UPDATE_GOLDEN=1 the new text becomes golden: read it before you commit it. */
export function golden(name: string, made: string): string {
  const path = join(FIXTURES, 'translation/golden', name)
  if (Bun.env.UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, made)
  }
  return existsSync(path) ? readFileSync(path, 'utf8') : `no golden file ${name}`
}

/** All canonical events of a recorded stream. */
export function decodeStream(protocol: BuiltInProtocol, payloads: readonly string[]): StreamEvent[] {
  const decoder = BUILT_IN_PROTOCOLS[protocol].text.createStreamDecoder(CONTEXT.id)
  return [...payloads.flatMap((payload) => decoder.decode(payload)), ...decoder.finish()]
}

/** The payloads of a caller's stream. */
export function encodeStream(protocol: BuiltInProtocol, events: readonly StreamEvent[]): string[] {
  const encoder = BUILT_IN_PROTOCOLS[protocol].text.createStreamEncoder(CONTEXT)
  return events.flatMap((event) => encoder.encode(event)).map(({ data }) => data)
}

/** The text of a caller's stream on the wire. */
export function wireText(protocol: BuiltInProtocol, events: readonly StreamEvent[]): string {
  const encoder = BUILT_IN_PROTOCOLS[protocol].text.createStreamEncoder(CONTEXT)
  const { event: framed } = eventFrame()
  return events
    .flatMap((event) => encoder.encode(event))
    .map((event) => framed(event, false))
    .join('')
}

interface Collected {
  parts: Part[]
  open: PartStart | undefined
  text: string
  signature: Extract<Part, { kind: 'text' }>['signature']
  logprobs: TokenLogprob[]
  end: Extract<StreamEvent, { type: 'candidate_end' }> | undefined
}

/** The whole answer of a stream's events. @throws Error if an event is out of place */
export function collect(events: readonly StreamEvent[]): ConversationAnswer {
  const candidates: Collected[] = []
  let whole: Omit<ConversationAnswer, 'candidates'> | undefined
  for (const event of events) {
    if (event.type === 'error') throw event.error
    if (event.type === 'start') whole = { id: event.id, model: event.model, usage: event.usage }
    else if (!whole) throw new Error(`${event.type} before start`)
    else if (event.type === 'usage') whole = { ...whole, usage: event.usage }
    else if (event.type !== 'end') {
      candidates[event.candidate] ??= {
        parts: [],
        open: undefined,
        text: '',
        signature: undefined,
        logprobs: [],
        end: undefined,
      }
      const candidate = candidates[event.candidate]
      if (candidate) collectOne(candidate, event)
    }
  }
  if (events.at(-1)?.type !== 'end') throw new Error('no end')
  const [first, ...rest] = candidates.map(finished)
  if (!whole || !first) throw new Error('no candidate')
  return { ...whole, candidates: [first, ...rest] }
}

function collectOne(candidate: Collected, event: Extract<StreamEvent, { candidate: number }>): void {
  if (candidate.end) throw new Error(`${event.type} after candidate_end`)
  if (event.type === 'part_start') {
    if (candidate.open) throw new Error('a part starts within another')
    candidate.open = event.part
    candidate.text = ''
    candidate.signature = event.part.kind === 'tool_call' ? event.part.signature : undefined
  } else if (event.type === 'logprobs') candidate.logprobs.push(...event.tokens)
  else if (event.type === 'image') {
    if (candidate.open) throw new Error('an image within a part')
    candidate.parts.push(event.image)
  } else if (event.type === 'candidate_end') {
    if (candidate.open) throw new Error('candidate_end within a part')
    candidate.end = event
  } else {
    if (!candidate.open) throw new Error(`${event.type} outside of a part`)
    if (event.type === 'part_end') candidate.parts.push(...closed(candidate, candidate.open))
    else if (event.type === 'signature') candidate.signature = event.signature
    else candidate.text += event.type === 'arguments_delta' ? event.json : event.text
  }
}

function closed(candidate: Collected, open: PartStart): Part[] {
  const { text, signature } = candidate
  candidate.open = undefined
  if (open.kind === 'redacted_thinking') return [open]
  if (open.kind !== 'tool_call') return [{ ...open, text, signature }]
  const parsed = parseArguments(text)
  return parsed ? [{ ...open, arguments: parsed, signature }] : []
}

function finished({ parts, logprobs, end }: Collected): Candidate {
  if (!end) throw new Error('no candidate_end')
  return {
    parts,
    stop_reason: end.stop_reason,
    stop_sequence: end.stop_sequence,
    logprobs: logprobs.length > 0 ? logprobs : undefined,
  }
}

/** The value without its undefined fields, for comparisons. */
export const plain = <T>(value: T): unknown => JSON.parse(JSON.stringify(value))
