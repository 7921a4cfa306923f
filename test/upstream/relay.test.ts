// Relays of a stream: bytes passed on, or events framed again; an upstream's own error record is kept back.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { type ByteString, decodeByteString } from '../../src/protocols/wire/byte-string.ts'
import { ARRAY_FRAME, eventFrame, passOn, type Relay, reframe } from '../../src/upstream/relay.ts'
import { lines } from '../protocols/gemini/recordings.ts'

const RECORDINGS = [
  'stream-text',
  'stream-thinking',
  'stream-function-call',
  'stream-image',
  'stream-usage-at-end',
]
const asEvents = (payloads: readonly string[], eol = '\r\n') =>
  payloads.map((payload) => `data: ${payload}${eol}${eol}`).join('')
const untouched = { next: (data: ByteString) => [{ data: decodeByteString(data) }], finish: () => [] }

const RELAYS: Record<string, () => Relay> = {
  'bytes passed on': () => passOn(gemini.text.stream.open(), eventFrame()),
  'events framed again': () => reframe(gemini.text.stream.open(), eventFrame(), untouched),
  'a JSON array': () => reframe(gemini.text.stream.open(), ARRAY_FRAME, untouched),
}
const EACH = Object.entries(RELAYS)

/** The output of a relay for a stream in these packets. */
function through(relay: Relay, packets: readonly Uint8Array[]): string {
  const out = packets.map((packet) => relay.push(packet)).concat(relay.end())
  return Buffer.concat(out.filter((part) => part !== undefined)).toString()
}

const splitsOf = (text: string) => {
  const bytes = Buffer.from(text)
  return fc
    .uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 10 })
    .map((places) => [...places].sort((a, b) => a - b))
    .map((places) => [0, ...places].map((from, index) => bytes.subarray(from, places[index])))
}

describe('however the packets are split', () => {
  for (const [name, open] of EACH)
    test.each(RECORDINGS)(`${name}: the output and the usage of %s stay the same`, (recording) => {
      const text = asEvents(lines(recording))
      const whole = open()
      const expected = through(whole, [Buffer.from(text)])
      fc.assert(
        fc.property(splitsOf(text), (packets) => {
          const relay = open()
          expect(through(relay, packets)).toBe(expected)
          const { finished, failed } = relay.reading
          expect([finished, failed]).toEqual([true, false])
          expect(relay.reading.usage()).toEqual(whole.reading.usage())
          expect(relay.reading.deliveredTokens()).toBe(whole.reading.deliveredTokens())
        }),
        { numRuns: 40 },
      )
    })

  test.each(RECORDINGS)('bytes passed on are the upstream’s: %s', (recording) => {
    for (const eol of ['\n', '\r\n']) {
      const text = asEvents(lines(recording), eol)
      expect(through(passOn(gemini.text.stream.open(), eventFrame()), [Buffer.from(text)])).toBe(text)
    }
  })

  test.each(RECORDINGS)('an array has one element for each event: %s', (recording) => {
    const relay = reframe(gemini.text.stream.open(), ARRAY_FRAME, untouched)
    const text = through(relay, [Buffer.from(asEvents(lines(recording)))])
    expect(JSON.parse(text)).toEqual(lines(recording).map((line) => JSON.parse(line)))
  })
})

describe('bytes passed on, with an edit of each event', () => {
  const drop = (data: ByteString) =>
    data.includes('drop') ? undefined : (data.replace('"old"', '"new"') as ByteString)
  const open = () => passOn(gemini.text.stream.open(), eventFrame(), undefined, drop)
  const kept = '{"a":1}'
  const cases: [string, string, string][] = [
    ['nothing to edit', `id: 1\r\ndata:${kept}\r\n\r\n`, `id: 1\r\ndata:${kept}\r\n\r\n`],
    ['the first dropped', `data: {"drop":1}\n\ndata: ${kept}\n\n`, `data: ${kept}\n\n`],
    ['the last dropped', `data: ${kept}\n\nevent: x\ndata: {"drop":1}\n\n`, `data: ${kept}\n\n`],
    ['all dropped', 'data: {"drop":1}\n\ndata: {"drop":2}\n\n', ''],
    ['one changed', 'id: 1\r\ndata:{"a":"old"}\r\n\r\n', 'id: 1\r\ndata:{"a":"new"}\r\n\r\n'],
    [
      'data of several lines changed',
      'id: 1\ndata: {"a":\ndata: "old"}\n\ndata: {}\n\n',
      'id: 1\ndata: {"a":\ndata: "new"}\n\ndata: {}\n\n',
    ],
    ['data of several lines dropped', 'data: {"a":\ndata: "drop"}\n\ndata: {}\n\n', 'data: {}\n\n'],
  ]
  test.each(cases)('%s', (_, sent, expected) => {
    expect(through(open(), [Buffer.from(sent)])).toBe(expected)
    fc.assert(
      fc.property(splitsOf(sent), (packets) => {
        expect(through(open(), packets)).toBe(expected)
      }),
      { numRuns: 20 },
    )
  })

  test('a chunk whose events are all dropped sends nothing', () => {
    expect(open().push(Buffer.from('data: {"drop":1}\n\n'))).toBeUndefined()
  })
})

test.each([
  [
    'bytes passed on',
    (edit: () => never) => passOn(gemini.text.stream.open(), eventFrame(), undefined, edit),
  ],
  [
    'a JSON array',
    (next: () => never) => reframe(gemini.text.stream.open(), ARRAY_FRAME, { next, finish: () => [] }),
  ],
])('%s: an answer whose last event cannot be written has no end', (_, open) => {
  const relay = open(() => {
    throw new Error('a call without a name')
  })
  const [last = ''] = lines('stream-text').slice(-1)
  try {
    relay.push(Buffer.from(asEvents([last])))
  } catch {
    // As the pump does: the reading knows how far the answer has come.
  }
  expect(relay.reading.finished).toBe(true)
  expect(() => relay.end()).toThrow('a call without a name')
})

describe('an upstream’s error record', () => {
  const first = lines('stream-text')[0] ?? ''
  const error = '{"error": {"code": 503,"message": "provider-secret-one is out of quota"}}'

  test.each(EACH)('%s: is kept back, with all that follows, and marks the reading as failed', (_, open) => {
    for (const packets of [[asEvents([first, error, first])], [asEvents([first]), asEvents([error])]]) {
      const relay = open()
      const out = packets
        .map((packet) => relay.push(Buffer.from(packet)))
        .filter((part) => part !== undefined)
      expect(relay.reading.failed).toBe(true)
      const text = Buffer.concat(out).toString()
      expect(text).toContain(JSON.parse(first).candidates[0].content.parts[0].text)
      expect(text).not.toContain('provider-secret-one')
    }
  })

  test.each(EACH)('%s: alone in a packet, nothing goes out', (_, open) => {
    expect(open().push(Buffer.from(asEvents([error])))).toBeUndefined()
  })
})

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
])('lines that end with %s', (_, eol) => {
  const [first = '', ...rest] = lines('stream-text')
  const sent = [first, ...rest].map(
    (data) => `: a comment${eol}${eol}: another${eol}id: 7${eol}data: ${data}${eol}${eol}`,
  )

  test('comments are dropped, and nothing else', () => {
    const got = through(passOn(gemini.text.stream.open(), eventFrame()), [Buffer.from(sent.join(''))])
    expect(got).toBe([first, ...rest].map((data) => `id: 7${eol}data: ${data}${eol}${eol}`).join(''))
  })

  test('an event that is corrected has its data once', () => {
    const relay = passOn(gemini.text.stream.open(), eventFrame(), () => () => '{"corrected":true}')
    expect(through(relay, [Buffer.from(sent.join(''))]).match(/data:/g)).toHaveLength(sent.length)
  })
})

describe('the error of a stream that breaks stands on its own', () => {
  const first = '{"a":1}'
  const failure = '{"error":{"code":502}}'
  const after = (relay: Relay, packets: string[]) => {
    const out = packets.map((packet) => relay.push(Buffer.from(packet))).concat(relay.fail(failure))
    return Buffer.concat(out.filter((part) => part !== undefined)).toString()
  }

  test.each([
    ['after nothing', []],
    ['after half an event', ['data: {"a"']],
  ])('%s', (_, packets) => {
    expect(after(passOn(gemini.text.stream.open(), eventFrame()), packets)).toBe(`data: ${failure}\n\n`)
    expect(after(reframe(gemini.text.stream.open(), ARRAY_FRAME, untouched), packets)).toBe(`[${failure}]`)
  })

  test.each([
    ['after an event', [asEvents([first])]],
    ['after an event and a half', [asEvents([first]), 'data: {"b"']],
  ])('%s', (_, packets) => {
    expect(after(passOn(gemini.text.stream.open(), eventFrame()), packets)).toBe(
      `${asEvents([first])}data: ${failure}\n\n`,
    )
    const array = after(reframe(gemini.text.stream.open(), ARRAY_FRAME, untouched), packets)
    expect(JSON.parse(array)).toEqual([JSON.parse(first), JSON.parse(failure)])
  })

  test('under a name, where the protocol names its error events', () => {
    const relay = passOn(gemini.text.stream.open(), eventFrame('error'))
    expect(after(relay, [])).toBe(`event: error\ndata: ${failure}\n\n`)
  })
})

describe('a translation', () => {
  test('may add events, drop some, name them, and add to the end', () => {
    const relay = reframe(gemini.text.stream.open(), eventFrame(), {
      next: (data) =>
        data.includes('skip') ? [] : [{ event: 'start', data: '1' }, { data: data.toString() }],
      finish: () => [{ data: '[DONE]' }],
    })
    const text = through(relay, [Buffer.from('data: skip\n\ndata: {"x":1}\n\n')])
    expect(text).toBe('event: start\ndata: 1\n\ndata: {"x":1}\n\ndata: [DONE]\n\n')
  })

  test('an array of nothing is an array', () => {
    expect(
      through(reframe(gemini.text.stream.open(), ARRAY_FRAME, { next: () => [], finish: () => [] }), []),
    ).toBe('[]')
  })
})
