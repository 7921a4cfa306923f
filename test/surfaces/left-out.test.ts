// The promise: an answer of a lenient server means the same to every caller, or is a clear failure; never another answer.
import { describe, expect, test } from 'bun:test'
import { inFull, outputTokens, promptTokens, type ReportedUsage } from '../../src/domain/usage.ts'
import { isObject, type Json, type JsonObject } from '../../src/protocols/wire/json.ts'
import { IS_LONG } from '../support/long.ts'
import {
  optionalFields,
  type Path,
  type Played,
  play,
  type Recording,
  recordings,
  without,
} from './left-out.ts'
import type { Surface } from './servers.ts'

const SURFACES: readonly Surface[] = ['chat', 'messages', 'native', 'responses', 'completions']
const OWN: Readonly<Record<Recording['protocol'], Surface>> = {
  openai: 'chat',
  anthropic: 'messages',
  gemini: 'native',
  responses: 'responses',
}

/** Recordings that not every surface can be answered with: an image, and arguments in parts that only native callers can ask for. */
const ONLY_FOR: readonly (readonly [RegExp, readonly Surface[]])[] = [
  [/gemini\/(?:image-whole|stream-image)/, ['native', 'chat', 'responses']],
  [/vertex\/stream-(?:no-args-)?tool-call/, ['native']],
]
const isFor = ({ name }: Recording, surface: Surface): boolean =>
  ONLY_FOR.every(([pattern, surfaces]) => !pattern.test(name) || surfaces.includes(surface))

/** Callers of a recording's own protocol get it without each field, the others without every third, another for the next; in a long run all. */
const isPlayed = ({ protocol }: Recording, surface: Surface, at: number): boolean =>
  IS_LONG || surface === OWN[protocol] || (at + SURFACES.indexOf(surface)) % 3 === 0
const MIN_SAME = IS_LONG ? 15_000 : 9_000

const lastKey = (path: Path): string => path.split('.').at(-1) ?? ''
const IDS = new Set(['id', 'call_id'])
const ENDS = new Set(['finish_reason', 'stop_reason', 'finishReason', 'status'])

/** What both answers must have in common: all but what the field itself says. */
function common({ answer }: Played, path: Path): unknown {
  const key = lastKey(path)
  return answer?.candidates.map(({ calls, stop, ...candidate }) => ({
    ...candidate,
    stop: ENDS.has(key) ? '' : stop,
    calls: calls.map((call) => (IDS.has(key) ? { ...call, id: '' } : call)),
  }))
}

/** Names of calls that are told in an earlier part: Vertex AI, for native callers. */
const isPartial = ({ name }: Recording, path: Path): boolean =>
  name.startsWith('servers/vertex/') && path.endsWith('functionCall.name')

type Outcome = 'same' | 'failed' | 'changed' | 'unreadable'

function outcomeOf(before: Played, after: Played, path: Path): Outcome {
  if (after.unreadable) return 'unreadable'
  if (after.answer === undefined) return 'failed'
  return Bun.deepEquals(common(before, path), common(after, path)) ? 'same' : 'changed'
}

/**
 * Counts of which others are made up, those that a stream tells twice, and those without which a total's rest is another part: what
 * tools read, and seconds that say that tokens are of audio.
 */
const PARTS_OF_SUMS =
  /iterations|cache_creation|^usage(?:\.(?:input|cache_read_input)_tokens)?$|total_tokens|cached_tokens$|prompt_tokens|toolUsePromptTokenCount|prompt_audio_seconds/

/** What is charged may lack what was left out, or be estimated, as where it makes no sense; nothing else of it changes. */
function isChargedRightly(before: Played, after: Played, left_out: number): boolean {
  // A usage with a negative count is not believed: the charge is estimated.
  if (Object.values(after.usage ?? NONE).some((count) => count !== undefined && count < 0)) return true
  return [
    { has: after.usage?.input_tokens, sum: promptTokens },
    { has: after.usage?.output_tokens, sum: outputTokens },
  ].every(({ has, sum }) => {
    const known = sum(inFull(before.usage ?? NONE))
    const left = sum(inFull(after.usage ?? NONE))
    return has === undefined || left === known || left === known - left_out
  })
}
const NONE: ReportedUsage = {}

/** The last count at a path. */
function countAt(payloads: readonly JsonObject[], path: Path): number {
  const keys = path.replaceAll('[]', '.[]').split('.')
  const found = payloads.map((payload) =>
    keys.reduce<Json[]>(
      (values, key) =>
        values.flatMap((value) =>
          key === '[]' && Array.isArray(value) ? value : isObject(value) ? (value[key] ?? []) : [],
        ),
      [payload],
    ),
  )
  return Number(found.flat().findLast((value) => typeof value === 'number') ?? 0)
}

const RECORDINGS = recordings()

describe('every recording with one field left out', () => {
  const counts: Record<Outcome, number> = { same: 0, failed: 0, changed: 0, unreadable: 0 }
  const failing = new Set<string>()

  test.each(SURFACES)('to callers of %s: the same answer, or a failure', (surface) => {
    const wrong: string[] = []
    for (const recording of RECORDINGS) {
      if (!isFor(recording, surface)) continue
      const before = play(recording, surface)
      if (!before.answer) wrong.push(`${recording.name} cannot be read as it is: ${before.failure}`)
      for (const [at, path] of optionalFields(recording).entries()) {
        if (isPartial(recording, path) || !isPlayed(recording, surface, at)) continue
        const payloads = recording.payloads.map((payload) => without(payload, path))
        const after = play({ ...recording, payloads }, surface)
        const outcome = outcomeOf(before, after, path)
        counts[outcome] += 1
        if (outcome === 'failed') failing.add(`${recording.protocol} ${lastKey(path)}`)
        if (outcome === 'changed' || outcome === 'unreadable')
          wrong.push(`${recording.name} without ${path}: ${outcome} ${after.failure ?? ''}`)
        if (surface !== OWN[recording.protocol] || outcome !== 'same' || PARTS_OF_SUMS.test(path)) continue
        if (!isChargedRightly(before, after, countAt(recording.payloads, path)))
          wrong.push(`${recording.name} without ${path}: charged as ${JSON.stringify(after.usage)}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('there are many of them', () => {
    const played = Object.values(counts).reduce((sum, count) => sum + count, 0)
    process.stdout.write(`${played} answers with a field left out: ${JSON.stringify(counts)}\n`)
    expect(counts.same).toBeGreaterThan(MIN_SAME)
  })

  test('a failure is rare: where nothing else says what the field said', () => {
    expect([...failing].sort()).toEqual([
      'anthropic name',
      'anthropic stop_reason',
      'anthropic type',
      'gemini finishReason',
      'gemini name',
      'openai index',
      'openai name',
      'openai usage',
      'responses name',
      'responses type',
    ])
  })
})

/** One streamed chat completion with these lists of tool calls. */
const calling = (...deltas: JsonObject[][]): Recording => ({
  name: 'made up',
  protocol: 'openai',
  stream: true,
  payloads: [
    ...deltas.map((tool_calls) => ({ choices: [{ index: 0, delta: { tool_calls } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
  ],
})
const piece = (json: Json, more: JsonObject = {}): JsonObject => {
  const { name, ...rest } = more
  return { ...rest, function: { ...(name === undefined ? {} : { name }), arguments: json } }
}
const ROME = '{"city":"Rome"}'
const OSLO = '{"city":"Oslo"}'
const TWO = [
  ['weather', ROME],
  ['weather', OSLO],
]

describe('tool calls are told apart', () => {
  const one = { id: 'call_1', name: 'weather' }
  const two = { id: 'call_2', name: 'weather' }
  test.each<[string, JsonObject[][], string[][]]>([
    ['two ids without an index', [[piece(ROME, one)], [piece(OSLO, two)]], TWO],
    ['two ids of one index', [[piece(ROME, { ...one, index: 0 })], [piece(OSLO, { ...two, index: 0 })]], TWO],
    ['two ids in one list', [[piece(ROME, one), piece(OSLO, two)]], TWO],
    [
      'neither ids nor an index, in one list',
      [[piece(ROME, { name: 'weather' }), piece(OSLO, { name: 'weather' })]],
      TWO,
    ],
    [
      'neither ids nor an index, one after the other',
      [[piece(ROME, { name: 'weather' })], [piece(OSLO, { name: 'weather' })]],
      TWO,
    ],
    [
      'two names of one index, without ids',
      [[piece(ROME, { index: 0, name: 'weather' })], [piece('{}', { index: 0, name: 'time' })]],
      [
        ['weather', ROME],
        ['time', '{}'],
      ],
    ],
    [
      'two names of one id',
      [[piece(ROME, one)], [piece('{}', { ...one, name: 'time' })]],
      [
        ['weather', ROME],
        ['time', '{}'],
      ],
    ],
    [
      'pieces without an index',
      [[piece('', one)], [piece('{"city":')], [piece('"Rome"}')], [piece('', two)], [piece(OSLO)]],
      TWO,
    ],
    [
      'pieces of one index under two ids',
      [
        [piece('{"city":', { ...one, index: 0 })],
        [piece('"Rome"}', { index: 0 })],
        [piece('{"city":', { ...two, index: 0 })],
        [piece('"Oslo"}', { index: 0 })],
      ],
      TWO,
    ],
    [
      'the id in every piece',
      [[piece('{"city":', one)], [piece('"Rome"}', { id: 'call_1' })], [piece(OSLO, two)]],
      TWO,
    ],
    [
      'the name again with the arguments',
      [[piece('', { ...one, index: 0 })], [piece(ROME, { index: 0, name: 'weather' })]],
      [['weather', ROME]],
    ],
    [
      'an index that counts pieces',
      [[piece('{"city":', { ...one, index: 0 })], [piece('"Rome"}', { id: 'call_1', index: 1 })]],
      [['weather', ROME]],
    ],
    [
      'interleaved, by index',
      [
        [piece('{"city":', { ...one, index: 0 })],
        [piece('{"city":', { ...two, index: 1 })],
        [piece('"Rome"}', { index: 0 })],
        [piece('"Oslo"}', { index: 1 })],
      ],
      TWO,
    ],
    ['arguments as an object', [[piece({ city: 'Rome' }, one)]], [['weather', ROME]]],
    [
      'no arguments',
      [[piece('', { ...one, index: 0 })], [piece(OSLO, { ...two, index: 1 })]],
      [
        ['weather', '{}'],
        ['weather', OSLO],
      ],
    ],
    [
      'a last piece that says nothing',
      [[piece(ROME, { ...one, index: 0 })], [piece('', { index: 1 })]],
      [['weather', ROME]],
    ],
  ])('%s', (_, deltas, calls) => {
    for (const surface of SURFACES.filter((name) => name !== 'completions')) {
      const { answer, failure } = play(calling(...deltas), surface)
      expect([surface, failure]).toEqual([surface, undefined])
      const [candidate] = answer?.candidates ?? []
      expect(candidate?.calls.map(({ name, arguments: json }) => [name, json])).toEqual(calls)
      expect(new Set(candidate?.calls.map(({ id }) => id)).size).toBe(calls.length)
    }
  })

  test.each<[string, JsonObject[][]]>([
    ['a call without a name', [[piece(ROME, { id: 'call_1', index: 0 })]]],
    ['arguments of no call', [[piece(ROME)]]],
    ['arguments after their end', [[piece(ROME, one)], [piece(OSLO)]]],
    [
      'arguments after their end, by index',
      [[piece(ROME, { ...one, index: 0 })], [piece(OSLO, { index: 0 })]],
    ],
    ['interleaved without an index', [[piece('', one), piece('', two)], [piece(ROME)], [piece(OSLO)]]],
  ])('refused: %s', (_, deltas) => {
    for (const surface of SURFACES) {
      const { answer, failure } = play(calling(...deltas), surface)
      expect([surface, answer, failure]).toEqual([surface, undefined, expect.stringMatching(/tool call/)])
    }
  })
})
