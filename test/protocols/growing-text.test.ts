// Texts that grow by pieces: each of a million tiny events of a stream must cost as little as the first one.
import { heapStats } from 'bun:jsc'
import { beforeAll, describe, expect, test } from 'bun:test'
import type { PartStart, StreamEvent } from '../../src/protocols/canonical/answer.ts'
import { GrowingText } from '../../src/protocols/growing-text.ts'
import { responses } from '../../src/protocols/openai/responses/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { BUILT_IN_PROTOCOLS } from '../../src/protocols/registry.ts'

/** A little more than a multiple of the 1,024 pieces that are joined at once: others wait as strings of their own. */
const PIECES = 8_216

const strings = (): number => {
  Bun.gc(true)
  return heapStats().objectTypeCounts.string ?? 0
}

describe('a growing text', () => {
  test.each([0, 1, 1_023, 1_024, 1_025, 5_000])(
    'of %i pieces contains all of them, however often it is read',
    (count) => {
      const text = new GrowingText()
      const pieces = Array.from({ length: count }, (_, index) => `${index}, `)
      for (const piece of pieces) {
        text.add(piece)
        if (text.length % 7 === 0) text.toString()
      }
      expect(text.toString()).toBe(pieces.join(''))
      expect(text.toString()).toBe(pieces.join(''))
      expect(text.length).toBe(pieces.join('').length)
    },
  )
})

const TOOLS = [
  { type: 'function', name: 'f' },
  { type: 'custom', name: 'c' },
]
const CONTEXT = { id: 'id', model: 'm', created_s: 1, request_fields: { tools: TOOLS }, shows_usage: true }
const candidate = 0
const call = (name: string): PartStart => ({ kind: 'tool_call', id: 'call', name })

/** Kinds of streamed parts, and the event that adds a piece to each. */
const GROWING: readonly (readonly [what: string, PartStart, (piece: string) => StreamEvent])[] = [
  ['text', { kind: 'text' }, (text) => ({ type: 'text_delta', candidate, text })],
  ['thinking', { kind: 'thinking' }, (text) => ({ type: 'thinking_delta', candidate, text })],
  ["a function's arguments", call('f'), (json) => ({ type: 'arguments_delta', candidate, json })],
  ["a custom tool's input", call('c'), (json) => ({ type: 'arguments_delta', candidate, json })],
]

const CALLERS = { ...BUILT_IN_PROTOCOLS, responses }

/** A stream to a caller, with one part that grows. */
function openGrowing([what, part, delta]: (typeof GROWING)[number], caller: string, protocol: Protocol) {
  const encoder = protocol.text.createStreamEncoder(CONTEXT)
  encoder.encode({ type: 'start', id: 'id', model: 'm', usage: undefined })
  encoder.encode({ type: 'part_start', candidate, part })
  encoder.encode(delta('{"input":"'))
  let longest = 0
  return {
    caller,
    what,
    grow() {
      for (let index = 0; index < PIECES; index++)
        for (const { data } of encoder.encode(delta(`${index},`))) longest = Math.max(longest, data.length)
    },
    longest: () => longest,
    end: () => encoder.encode(delta('"}')).concat(encoder.encode({ type: 'part_end', candidate })),
  }
}

const STREAMS = Object.entries(CALLERS).flatMap(([caller, protocol]) =>
  GROWING.map((growing) => openGrowing(growing, caller, protocol)),
)

/** Counted once for the text and all streams: each count collects the garbage of the whole process, which costs more than they do. */
let kept_strings = Number.NaN
const text = new GrowingText()
beforeAll(() => {
  const before = strings()
  for (let index = 0; index < PIECES; index++) text.add(`${index}`)
  for (const { grow } of STREAMS) grow()
  kept_strings = strings() - before
})

test('neither a growing text nor any stream keeps a string for each piece', () => {
  expect(kept_strings).toBeLessThan(PIECES * 0.5)
  expect(text.toString()).toStartWith('012345')
})

test.each(STREAMS)('to callers of $caller, $what grows by short events', ({ longest, end }) => {
  expect(longest()).toBeLessThan(500)
  // An encoder that repeats the text at the end repeats all of it.
  for (const { data } of end()) if (data.length > 1_000) expect(data).toContain(`,${PIECES - 1},`)
})
