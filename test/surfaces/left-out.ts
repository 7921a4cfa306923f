// Recorded answers with one field left out, played through every surface in this process, as a strict client reads them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dialect } from '../../src/calls/kinds/text/dialect.ts'
import { passThrough, translation } from '../../src/calls/kinds/text/passages.ts'
import { NO_USAGE, type ReportedUsage } from '../../src/domain/usage.ts'
import { STREAM_ERROR_EVENT } from '../../src/protocols/anthropic/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import type { AnswerContext } from '../../src/protocols/canonical/answer.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { completions } from '../../src/protocols/openai/completions.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { responses } from '../../src/protocols/openai/responses/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { isObject, type Json, type JsonObject } from '../../src/protocols/wire/json.ts'
import { eventFrame } from '../../src/upstream/relay.ts'
import { type FixtureProtocol, fixtures, type Surface } from './servers.ts'
import { READERS, type ReadAnswer } from './strict-readers.ts'

const FIXTURES = join(import.meta.dir, '../fixtures')

/** A whole answer, or the events of a stream. */
export interface Recording {
  name: string
  protocol: FixtureProtocol
  stream: boolean
  payloads: readonly JsonObject[]
  /** The names of the events, where the server writes any. */
  names?: readonly string[]
}

const lines = (path: string): JsonObject[] =>
  readFileSync(join(FIXTURES, path), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

const FOLDERS: readonly (readonly [string, FixtureProtocol])[] = [
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['gemini', 'gemini'],
  ['translation/answers', 'gemini'],
]

export const SURFACES: readonly Surface[] = ['chat', 'messages', 'native', 'responses', 'completions']

/** The surface of the protocol itself. */
export const OWN: Readonly<Record<Recording['protocol'], Surface>> = {
  openai: 'chat',
  anthropic: 'messages',
  gemini: 'native',
  responses: 'responses',
}

/** All recordings of answers that do not fail. */
export const recordings = (): Recording[] => [
  ...fixtures().map(({ name, protocol, stream, body, events = [] }) => ({
    name: `servers/${name}`,
    protocol,
    stream,
    payloads: stream ? events : [body ?? {}],
  })),
  ...FOLDERS.flatMap(([folder, protocol]) =>
    readdirSync(join(FIXTURES, folder))
      .filter(
        (file) =>
          /^(?:gemini-)?(?:stream|whole)-.*\.jsonl$/.test(file) && !/-(?:error|cut)\.jsonl$/.test(file),
      )
      .map((file) => ({
        name: `${folder}/${file}`,
        protocol,
        stream: file.includes('stream-'),
        payloads: lines(`${folder}/${file}`),
      })),
  ),
]

/** The fields that servers are known to leave out, whatever object they stand in. */
const OPTIONAL = new Set([
  ...[
    'index',
    'id',
    'type',
    'role',
    'name',
    'object',
    'created',
    'model',
    'finish_reason',
    'status',
    'call_id',
  ],
  ...['output_index', 'item_id', 'content_index', 'sequence_number', 'stop_reason', 'stop_sequence'],
  ...['finishReason', 'responseId', 'modelVersion', 'usage', 'usageMetadata'],
])
/** Below these each count is left out alone. */
const USAGES = new Set(['usage', 'usageMetadata'])
/** Below these stands the model's output, in the caller's own names. */
const CONTENT = new Set([
  'args',
  'input',
  'arguments',
  'parameters',
  'tools',
  'text',
  'annotations',
  'citations',
])

/** A field: the keys that lead to it, `[]` for each item of a list. */
export type Path = string

/** The fields of a recording that may be left out, each once. */
export function optionalFields({ payloads }: Recording): Path[] {
  const found = new Set<Path>()
  const walk = (value: Json | undefined, path: string, in_usage: boolean): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, `${path}[]`, in_usage)
    if (!isObject(value)) return
    for (const [key, below] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`
      if (OPTIONAL.has(key) || (in_usage && !Array.isArray(below))) found.add(at)
      if (!CONTENT.has(key)) walk(below, at, in_usage || USAGES.has(key))
    }
  }
  for (const payload of payloads) walk(payload, '', false)
  return [...found]
}

/** The same without the field, wherever it stands. */
export function without(value: JsonObject, path: Path): JsonObject {
  const keys = path.replaceAll('[]', '.[]').split('.')
  return strip(value, keys) as JsonObject
}

function strip(value: Json, [key = '', ...rest]: readonly string[]): Json {
  if (key === '[]') return Array.isArray(value) ? value.map((item) => strip(item, rest)) : value
  if (!isObject(value) || value[key] === undefined) return value
  if (rest.length > 0) return { ...value, [key]: strip(value[key], rest) }
  const { [key]: _, ...left } = value
  return left
}

const CONTEXT: AnswerContext = {
  id: 'req_1',
  model: 'asked-model',
  created_s: 1_763_692_800,
  shows_usage: true,
}

const PROTOCOLS: Readonly<Record<FixtureProtocol, Protocol>> = { gemini, anthropic, openai, responses }

const FRAME = eventFrame()
const plainDialect = (protocol: Dialect['protocol'], raw = true): Dialect => ({
  protocol,
  frame: FRAME,
  raw,
  shows_usage: true,
})
const DIALECTS: Readonly<Record<Surface, Dialect>> = {
  native: plainDialect(gemini),
  messages: { ...plainDialect(anthropic), frame: eventFrame(STREAM_ERROR_EVENT) },
  chat: plainDialect(openai),
  responses: plainDialect(responses, false),
  completions: plainDialect(completions, false),
}

export interface Played {
  /** The answer that the caller's client reads; undefined for an answer that failed, or reported its failure. */
  answer: ReadAnswer | undefined
  /** Why there is no answer, or why the client could not read it. */
  failure: string | undefined
  /** The client could not read an answer that the gateway took for a good one. */
  unreadable: boolean
  usage: ReportedUsage | undefined
  /** The output tokens that the gateway would charge where no usage is reported. */
  delivered_tokens: number
}

const encoder = new TextEncoder()

/** Plays one recording to one surface. */
export function play({ protocol, stream, payloads, names = [] }: Recording, surface: Surface): Played {
  const upstream = PROTOCOLS[protocol]
  const dialect = DIALECTS[surface]
  const request = { dialect, context: CONTEXT }
  const own = { forwarded_headers: {}, extras: [] }
  const passage =
    upstream.name === dialect.protocol.name
      ? passThrough(request, upstream, own)
      : translation(request, upstream)
  const failed = (cause: unknown, usage?: ReportedUsage, delivered_tokens = 0): Played => ({
    answer: undefined,
    failure: cause instanceof Error ? cause.message : String(cause),
    unreadable: false,
    usage,
    delivered_tokens,
  })
  const read = (text: string, usage: ReportedUsage | undefined, delivered_tokens: number): Played => {
    try {
      return {
        answer: READERS[surface](text, stream),
        failure: undefined,
        unreadable: false,
        usage,
        delivered_tokens,
      }
    } catch (cause) {
      return { ...failed(cause, usage, delivered_tokens), unreadable: true }
    }
  }
  if (!stream) {
    const [json = {}] = payloads
    try {
      const usage = upstream.text.readUsage(json)
      const billed = { usage: { ...NO_USAGE, ...definedOf(usage) }, estimated: false, doubt: undefined }
      const as = { upstream_model: CONTEXT.model, wants_json: false, service_tier: undefined }
      const bytes = Buffer.from(JSON.stringify(json))
      const written = passage.answer({ bytes, json }, billed, as)
      return read(Buffer.from(written).toString(), usage, upstream.text.estimateOutput(json))
    } catch (cause) {
      return failed(cause)
    }
  }
  const reading = upstream.text.stream.open()
  const relay = passage.stream(reading, {
    billed: () => ({
      usage: { ...NO_USAGE, ...definedOf(reading.usage()) },
      estimated: false,
      doubt: undefined,
    }),
    service_tier: () => undefined,
    upstream_model: CONTEXT.model,
    restore: undefined,
  })
  let text = ''
  const put = (bytes: Uint8Array | undefined) => {
    if (bytes) text += Buffer.from(bytes).toString()
  }
  try {
    const events = [...payloads.map((payload) => JSON.stringify(payload)), ...doneOf(protocol)]
    for (const [at, event] of events.entries()) {
      const name = names[at] === undefined ? '' : `event: ${names[at]}\n`
      put(relay.push(encoder.encode(`${name}data: ${event}\n\n`)))
      if (relay.broken_by !== undefined) throw relay.broken_by
      if (reading.failed) throw new Error('the upstream reported an error')
    }
    if (!reading.finished) throw new Error('the stream did not come to its end')
    put(relay.end())
  } catch (cause) {
    return failed(cause, reading.usage(), reading.deliveredTokens())
  }
  return read(text, reading.usage(), reading.deliveredTokens())
}

const definedOf = (usage: ReportedUsage | undefined): Partial<typeof NO_USAGE> => {
  const { cost_nanos: _, ...counts } = usage ?? {}
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
}

const doneOf = (protocol: FixtureProtocol): string[] => (protocol === 'openai' ? ['[DONE]'] : [])
