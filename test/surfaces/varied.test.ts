// The promise: null for a missing field, a text in other pieces and events that say nothing change no answer of a lenient server.
import { describe, expect, test } from 'bun:test'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { common, isFor, isPartial } from './compared.ts'
import { OWN, optionalFields, type Path, play, type Recording, recordings, without } from './left-out.ts'
import type { Surface } from './servers.ts'
import { inTwoPieces, textFields, withEmptyEvents, withValue } from './varied.ts'

const STREAMS = recordings().filter(({ stream }) => stream)
/** Its own callers, and those of one other protocol. */
const surfacesOf = (recording: Recording): Surface[] =>
  [
    OWN[recording.protocol],
    recording.protocol === 'anthropic' ? ('chat' as const) : ('messages' as const),
  ].filter((surface) => isFor(recording, surface))

/** Each field of each protocol, in the first recording that has it. */
function once(all: readonly Recording[], fields: (recording: Recording) => Path[]): [Recording, Path][] {
  const seen = new Set<string>()
  return all.flatMap((recording) =>
    fields(recording)
      .filter((path) => {
        const key = `${recording.protocol} ${recording.stream} ${path}`
        return !seen.has(key) && seen.add(key)
      })
      .map((path): [Recording, Path] => [recording, path]),
  )
}

/** Faults of the answer to other events: it may fail, but not be another. */
function faultOf(
  recording: Recording,
  varied: Pick<Recording, 'payloads' | 'names'>,
  path: Path,
  mayFail: boolean,
): string[] {
  return surfacesOf(recording).flatMap((surface) => {
    const before = play(recording, surface)
    const after = play({ ...recording, ...varied }, surface)
    const name = `${recording.name} to ${surface}: ${path}`
    if (after.unreadable) return [`${name} cannot be read: ${after.failure}`]
    if (after.answer === undefined) return mayFail ? [] : [`${name} fails: ${after.failure}`]
    return Bun.deepEquals(common(before, path), common(after, path)) ? [] : [`${name} is another answer`]
  })
}

describe('an answer stays the same', () => {
  test('with null in place of a missing field, or fails as it does without', () => {
    const cases = once(recordings(), optionalFields).filter(
      ([recording, path]) => !isPartial(recording, path),
    )
    const faults = cases.flatMap(([recording, path]) => {
      const payloads = recording.payloads.map((payload) => withValue(payload, path, () => null))
      return faultOf(recording, { payloads }, path, true)
    })
    expect(faults).toEqual([])
    expect(cases.length).toBeGreaterThan(150)
  })

  test('with a text in other pieces; a name in pieces may be refused', () => {
    const cases = once(STREAMS, textFields)
    const faults = cases.flatMap(([recording, path]) =>
      faultOf(recording, { payloads: inTwoPieces(recording, path) }, path, path.endsWith('.name')),
    )
    expect(faults).toEqual([])
    expect(cases.length).toBeGreaterThan(10)
  })

  test('with events that say nothing', () => {
    const cases = once(STREAMS, ({ name }) => [name.slice(0, name.lastIndexOf('/'))])
    expect(
      cases.flatMap(([recording]) => faultOf(recording, { payloads: withEmptyEvents(recording) }, '', false)),
    ).toEqual([])
    expect(cases.length).toBeGreaterThan(20)
  })

  test('with types in the names of the events only', () => {
    const cases = once(STREAMS, ({ name, payloads: [first] }) =>
      typeof first?.type === 'string' ? [name.slice(0, name.lastIndexOf('/'))] : [],
    )
    const faults = cases.flatMap(([recording]) => {
      const names = recording.payloads.map(({ type }) => String(type))
      const payloads = recording.payloads.map((payload) => without(payload, 'type'))
      return faultOf(recording, { payloads, names }, '', false)
    })
    expect(faults).toEqual([])
    expect(cases.length).toBeGreaterThan(5)
  })
})

const MESSAGE = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }
const USAGE = { input_tokens: 9, output_tokens: 9 }

describe('an item without a type', () => {
  const item = (fields: JsonObject) => ({
    name: 'made up',
    protocol: 'responses' as const,
    stream: false,
    payloads: [
      { id: 'resp_1', object: 'response', status: 'completed', output: [MESSAGE, fields], usage: USAGE },
    ],
  })
  const block = (fields: JsonObject) => ({
    name: 'made up',
    protocol: 'anthropic' as const,
    stream: false,
    payloads: [
      { role: 'assistant', content: [{ text: 'Hello' }, fields], stop_reason: 'end_turn', usage: USAGE },
    ],
  })
  test.each<[string, Recording]>([
    ['encrypted reasoning', item({ encrypted_content: 'gAAAA' })],
    ['an unknown item', item({ sources: ['a'] })],
    ['an unknown part of a message', item({ content: [{ transcript: 'Hi' }] })],
    ['an unknown block', block({ source: {} })],
  ])('does not fail the answer: %s', (_, recording) => {
    expect(play(recording, 'chat').answer?.candidates).toMatchObject([{ text: 'Hello' }])
  })

  test.each<[string, Recording]>([
    ['arguments of an unknown tool', item({ name: 'weather', arguments: '{}' })],
    ['an action of an unknown tool', item({ action: { type: 'click' } })],
    ['a call of the provider', block({ id: 'srvtoolu_1', name: 'search', input: {} })],
  ])('fails the answer where somebody would act on it: %s', (_, recording) => {
    expect(play(recording, 'chat').failure).toMatch(/tool call without its type/)
  })

  test('an error in a stream is an error, and keeps its kind', () => {
    const data = '{"error":{"type":"overloaded_error","message":"Busy"}}'
    const decoder = anthropic.text.createStreamDecoder('call-1')
    expect(decoder.decode(data)).toMatchObject([{ type: 'error' }])
    expect(anthropic.readFailure(200, new Headers(), data).failure_class).toBe('overloaded')
  })
})
