// The framing of server-sent events: "any split of a stream gives the same events and the same bytes".
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { UpstreamFault } from '../../../src/domain/errors.ts'
import { decodeByteString, toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { EventCutter, EventWalk, MAX_EVENT_BYTES } from '../../../src/protocols/wire/sse.ts'

/** The payloads that a walk finds, and the offsets of their events. */
function found(text: string): [string, number][] {
  const events: [string, number][] = []
  const walk = new EventWalk(toByteString(Buffer.from(text)))
  while (walk.next()) events.push([decodeByteString(walk.data), walk.start])
  return events
}

/** Cuts a stream that arrives in these packets. */
function cutAll(packets: readonly Uint8Array[]): { parts: Buffer[]; whole: Buffer } {
  const cutter = new EventCutter()
  const parts = packets.flatMap((packet) => {
    const part = cutter.cut(packet)
    return part ? [Buffer.from(part)] : []
  })
  return { parts, whole: Buffer.concat(parts) }
}

describe('the payloads of events', () => {
  const CASES: [string, string, [string, number][]][] = [
    ['one event', 'data: a\n\n', [['a', 0]]],
    ['no space after the colon', 'data:a\n\n', [['a', 0]]],
    ['only one space is removed', 'data:  a\n\n', [[' a', 0]]],
    [
      'two events',
      'data: a\n\ndata: b\n\n',
      [
        ['a', 0],
        ['b', 9],
      ],
    ],
    [
      'carriage returns',
      'data: a\r\n\r\ndata: b\r\n\r\n',
      [
        ['a', 0],
        ['b', 11],
      ],
    ],
    [
      'mixed line ends',
      'data: a\n\r\ndata: b\r\n\n',
      [
        ['a', 0],
        ['b', 10],
      ],
    ],
    ['several data lines are joined', 'data: a\ndata: b\n\n', [['a\nb', 0]]],
    ['an empty data line', 'data:\n\n', [['', 0]]],
    ['comments are skipped', ': hello\n\ndata: a\n\n', [['a', 9]]],
    ['other fields are skipped', 'event: x\nid: 1\nretry: 5\ndata: a\n\n', [['a', 0]]],
    ['a field whose name begins with data', 'database: a\n\n', []],
    ['an event without data', 'event: ping\n\n', []],
    ['blank lines alone', '\n\n\n\n', []],
    ['an incomplete event', 'data: a\n\ndata: b\n', [['a', 0]]],
    ['nothing', '', []],
    [
      'an escaped line feed in the JSON does not end the event',
      'data: {"a":"x\\n\\ny"}\n\n',
      [['{"a":"x\\n\\ny"}', 0]],
    ],
  ]
  test.each(CASES)('%s', (_, text, events) => {
    expect(found(text)).toEqual(events)
  })

  test('have an offset in the text, unless they have several lines', () => {
    const walk = new EventWalk('data: a\n\nevent: x\ndata:b\n\ndata: c\ndata: d\n\ndata: e\n\n')
    const places: number[] = []
    while (walk.next()) places.push(walk.data_start)
    expect(places).toEqual([6, 23, -1, 49])
  })

  test('stay at the last one when the walk has ended', () => {
    const walk = new EventWalk('data: a\n\n')
    expect([walk.next(), walk.next(), walk.next(), walk.data]).toEqual([true, false, false, 'a'])
  })
})

const line_end = fc.constantFrom('\n', '\r\n')
const field = fc.oneof(
  fc.string().map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.string().map((text) => `: ${text.replace(/[\r\n]/g, '')}`),
  fc.constant('event: ping'),
)
const event = fc
  .tuple(fc.array(fc.tuple(field, line_end), { minLength: 1, maxLength: 4 }), line_end)
  .map(([lines, end]) => lines.map(([text, eol]) => text + eol).join('') + end)
const stream = fc.array(event, { minLength: 1, maxLength: 6 }).map((events) => events.join(''))

/** A text in packets, split at any byte, some of them empty. */
const packets = (text: string) => {
  const bytes = Buffer.from(text)
  return fc
    .array(fc.nat({ max: bytes.length }), { maxLength: 12 })
    .map((places) => [...places].sort((a, b) => a - b))
    .map((places) => [0, ...places].map((from, index) => bytes.subarray(from, places[index])))
}

describe('a stream cut at the ends of its events', () => {
  test('has the same bytes, and whole events in every part, with any split into packets (property)', () => {
    const property = fc.property(
      stream.chain((text) => fc.tuple(fc.constant(text), packets(text))),
      ([text, split]) => {
        const { parts, whole } = cutAll(split)
        expect(whole.toString()).toBe(text)
        expect(parts.flatMap((part) => found(part.toString()).map(([data]) => data))).toEqual(
          found(text).map(([data]) => data),
        )
        for (const part of parts) expect(part.toString()).toMatch(/\n\r?\n$/)
      },
    )
    fc.assert(property, { numRuns: 500 })
  })

  test('byte by byte', () => {
    const text = 'data: ä\r\n\r\n: x\n\ndata: b\ndata: c\n\n'
    const { parts, whole } = cutAll([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)))
    expect(whole.toString()).toBe(text)
    expect(parts.length).toBeGreaterThanOrEqual(3)
  })

  test('with empty packets in the middle of a line end', () => {
    const empty = Array.from({ length: 5 }, () => new Uint8Array())
    const { whole } = cutAll([Buffer.from('data: a\n'), ...empty, Buffer.from('\n'), ...empty])
    expect(whole.toString()).toBe('data: a\n\n')
  })

  test('an incomplete event is kept back', () => {
    const { whole } = cutAll([Buffer.from('data: a\n\ndata: {"unfin')])
    expect(whole.toString()).toBe('data: a\n\n')
  })

  test('a packet of whole events passes without a copy', () => {
    const packet = Buffer.from('data: a\n\ndata: b\n\n')
    expect(new EventCutter().cut(packet)?.buffer).toBe(packet.buffer)
  })

  test('an event over the size limit fails the stream', () => {
    const cutter = new EventCutter()
    const packet = Buffer.alloc(8 * 1024 * 1024, 'x')
    const count = Math.floor(MAX_EVENT_BYTES / packet.length)
    for (let index = 0; index < count; index++) expect(cutter.cut(packet)).toBeUndefined()
    expect(() => cutter.cut(packet)).toThrow(UpstreamFault)
  })
})
