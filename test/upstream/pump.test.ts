// A stream's bytes on their way: back-pressure, the end that is held back until it is paid, and callers who disconnect.
import { describe, expect, test } from 'bun:test'
import { overloaded, UpstreamFault } from '../../src/domain/errors.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { type ByteReader, type PumpOptions, pump, type StreamEnding } from '../../src/upstream/pump.ts'
import { ARRAY_FRAME, eventFrame, passOn, reframe } from '../../src/upstream/relay.ts'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'
import { answer, piece, usage } from '../support/native.ts'
import { eventBytes } from '../support/upstream.ts'

const FAILURE = '{"error":{"code":502}}'
const ERROR_RECORD = { error: { code: 503, message: 'Overloaded' } }

type Packet = Uint8Array | Error | Promise<unknown>

/** An upstream of packets: bytes, a failure, or something to wait for before the next. Counts the packets that were read. */
function upstreamOf(packets: readonly Packet[]): ByteReader & { read_packets: () => number } {
  let at = 0
  let read_packets = 0
  return {
    read_packets: () => read_packets,
    async read() {
      const packet = packets[at++]
      if (packet instanceof Promise) {
        await packet
        return this.read()
      }
      if (packet instanceof Error) throw packet
      if (packet) read_packets++
      return packet ? { done: false, value: packet } : { done: true }
    },
  }
}

function scene(packets: readonly Packet[], overrides: Partial<PumpOptions> = {}) {
  const [first = eventBytes(piece('first')), ...rest] = packets
  if (!(first instanceof Uint8Array)) throw new Error('the first packet must be bytes')
  const reader = upstreamOf(rest)
  const caller = new PlainSignal()
  const settled: StreamEnding[] = []
  const causes: unknown[] = []
  const moves: string[] = []
  let upstream_aborted = false
  const reading = gemini.text.stream.open()
  const stream = pump({
    opened: { first, reader },
    relay: passOn(reading, eventFrame()),
    gone: caller,
    read_by: 'gateway',
    abortUpstream: () => {
      upstream_aborted = true
    },
    drain_timeout_ms: 0,
    async settle(ending, cause) {
      settled.push(ending)
      causes.push(cause)
    },
    renderError: () => FAILURE,
    place: { progressed: (waiting_for) => void moves.push(waiting_for) },
    ...overrides,
  })
  return { stream, reader, caller, settled, causes, moves, reading, upstream_aborted: () => upstream_aborted }
}

const textOf = async (stream: ReadableStream<Uint8Array>) => new Response(stream).text()
const text = (...payloads: readonly unknown[]) => payloads.map((each) => eventBytes(each).toString()).join('')
const turns = async (count = 20) => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a stream that ends well', () => {
  test('passes unchanged, and is settled once, as completed', async () => {
    const events = [piece('a'), piece('b'), answer('c')]
    const { stream, settled, upstream_aborted } = scene(events.map(eventBytes))
    expect(await textOf(stream)).toBe(text(...events))
    expect([settled, upstream_aborted()]).toEqual([['completed'], false])
  })

  test('holds its last bytes back until it is paid', async () => {
    const paid = Promise.withResolvers<void>()
    const settling = Promise.withResolvers<void>()
    const { stream } = scene([eventBytes(piece('a')), eventBytes(answer('end'))], {
      settle() {
        settling.resolve()
        return paid.promise
      },
    })
    const reader = stream.getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(text(piece('a')))
    let came = false
    const last = reader.read().then((part) => {
      came = true
      return part
    })
    await settling.promise
    await turns()
    expect(came).toBe(false)
    paid.resolve()
    expect(Buffer.from((await last).value ?? []).toString()).toBe(text(answer('end')))
    expect((await reader.read()).done).toBe(true)
  })

  test('is settled after the events behind its end: the last usage counts', async () => {
    const after = { candidates: [], usageMetadata: usage(10, 7) }
    const { stream, settled, reading } = scene([answer('end', usage(10, 1)), after].map(eventBytes))
    expect(await textOf(stream)).toBe(text(answer('end', usage(10, 1)), after))
    expect(settled).toEqual(['completed'])
    expect(reading.usage()?.output_tokens).toBe(7)
  })

  test('is complete, though its connection breaks after the end', async () => {
    const { stream, settled } = scene([eventBytes(answer('end')), new Error('reset')])
    expect(await textOf(stream)).toBe(text(answer('end')))
    expect(settled).toEqual(['completed'])
  })

  test('is closed with the end of its frame', async () => {
    const relay = reframe(gemini.text.stream.open(), ARRAY_FRAME, {
      next: () => [{ data: '1' }],
      finish: () => [],
    })
    const { stream } = scene([piece('a'), answer('b')].map(eventBytes), { relay })
    expect(JSON.parse(await textOf(stream))).toEqual([1, 1])
  })

  const untranslatable = () =>
    reframe(gemini.text.stream.open(), eventFrame(), {
      next(data) {
        if (data.includes('garbled')) throw new UpstreamFault('an event could not be read')
        return [{ data }]
      },
      finish: () => [],
    })

  test.each([
    ['before the end: it breaks', piece('a'), 'broken', `data: ${FAILURE}\n\n`],
    ['after the end: it is complete', answer('end'), 'completed', ''],
  ] as const)(
    'events before one that cannot be translated, in the same chunk, are delivered; %s',
    async (_, event, ending, rest) => {
      const chunk = Buffer.concat([eventBytes(event), eventBytes(piece('garbled'))])
      const { stream, settled } = scene([chunk, eventBytes(answer('later'))], { relay: untranslatable() })
      expect(await textOf(stream)).toBe(`${text(event)}${rest}`)
      expect(settled).toEqual([ending])
    },
  )

  test('that cannot be paid breaks, and ends with an error', async () => {
    let settles = 0
    const { stream, upstream_aborted } = scene([eventBytes(piece('a')), eventBytes(answer('end'))], {
      async settle() {
        settles++
        throw new Error('the disk is full')
      },
    })
    const got = await textOf(stream)
    expect(got).toBe(`${text(piece('a'))}data: ${FAILURE}\n\n`)
    expect([settles > 0, upstream_aborted()]).toEqual([true, true])
  })
})

describe('back-pressure', () => {
  const many = Array.from({ length: 500 }, (_, index) => eventBytes(piece(`event ${index}`)))

  test('of a caller who does not read: the upstream is not read on', async () => {
    const { stream, reader } = scene([...many, eventBytes(answer('end'))])
    await turns(200)
    expect(reader.read_packets()).toBeLessThanOrEqual(2)
    expect(await textOf(stream)).toBe(Buffer.concat([...many, eventBytes(answer('end'))]).toString())
  })

  test('of a caller who reads slowly: never more than a packet or two ahead of them', async () => {
    const { stream, reader } = scene([...many, eventBytes(answer('end'))])
    const slow = stream.getReader()
    for (let count = 1; count <= 50; count++) {
      await slow.read()
      await turns(3)
      expect(reader.read_packets()).toBeLessThanOrEqual(count + 2)
    }
    await slow.cancel()
  })

  test('every step forward is reported: a part that was read waits for the caller, the next one for the upstream', async () => {
    const { stream, moves } = scene([piece('a'), piece('b'), answer('end')].map(eventBytes))
    await textOf(stream)
    expect(moves.slice(0, 4)).toEqual(['caller', 'upstream', 'caller', 'upstream'])
  })
})

describe('a stream that breaks', () => {
  const BREAKS: [string, Packet[]][] = [
    ['its connection breaks', [new Error('reset')]],
    ['it ends before its answer does', []],
    ['it reports an error', [eventBytes(ERROR_RECORD)]],
    ['it reports an error, and goes on', [eventBytes(ERROR_RECORD), eventBytes(answer('end'))]],
    ['an event is cut', [Buffer.from('data: {"candi')]],
  ]
  test.each(BREAKS)(
    '%s: settled once, as broken; the upstream is aborted, and the caller gets an error',
    async (_, rest) => {
      const { stream, settled, causes, upstream_aborted } = scene([eventBytes(piece('a')), ...rest])
      expect(await textOf(stream)).toBe(`${text(piece('a'))}data: ${FAILURE}\n\n`)
      expect([settled, upstream_aborted()]).toEqual([['broken'], true])
      expect(causes[0]).toBeInstanceOf(Error)
    },
  )

  test('the delivered part cannot be recorded: the caller gets the error all the same', async () => {
    const { stream } = scene([eventBytes(piece('a')), new Error('reset')], {
      settle: () => Promise.reject(new Error('the disk is full')),
    })
    expect(await textOf(stream)).toBe(`${text(piece('a'))}data: ${FAILURE}\n\n`)
  })

  test('the gateway ends it itself: the caller gets the reason', async () => {
    const reasons: unknown[] = []
    const { stream, caller, settled, upstream_aborted } = scene(
      [eventBytes(piece('a')), new Promise(() => {})],
      {
        renderError(cause) {
          reasons.push(cause)
          return FAILURE
        },
      },
    )
    const reader = stream.getReader()
    await reader.read()
    const reason = overloaded('The gateway is restarting.')
    caller.abort(reason)
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(`data: ${FAILURE}\n\n`)
    expect((await reader.read()).done).toBe(true)
    expect([settled, reasons, upstream_aborted()]).toEqual([['broken'], [reason], true])
  })
})

test('the end of a stream that the gateway aborts while it is being paid comes when it is paid, and not before', async () => {
  const paid = Promise.withResolvers<void>()
  const settled: StreamEnding[] = []
  const { stream, caller } = scene([eventBytes(answer('end'))], {
    settle(ending) {
      settled.push(ending)
      return paid.promise
    },
  })
  let got = ''
  const all = textOf(stream).then((whole) => {
    got = whole
  })
  await turns()
  caller.abort(overloaded('The gateway is restarting.'))
  await turns()
  expect([got, settled]).toEqual(['', ['completed']])
  paid.resolve()
  await all
  expect([got, settled]).toEqual([text(answer('end')), ['completed']])
})

describe('a caller who disconnects', () => {
  const LEAVES: [string, (caller: PlainSignal, reader: { cancel(): Promise<void> }) => unknown][] = [
    ['the socket closes', (caller) => caller.abort()],
    ['the stream is cancelled', (_, reader) => reader.cancel()],
    ['both', (caller, reader) => [reader.cancel(), caller.abort()]],
  ]
  test.each(LEAVES)(
    '%s: the upstream is aborted, and the delivered part is settled once',
    async (_, leave) => {
      const { stream, caller, settled, upstream_aborted, reading } = scene([
        eventBytes(piece('a', { usageMetadata: usage(10, 3) })),
        new Promise(() => {}),
      ])
      const reader = stream.getReader()
      await reader.read()
      leave(caller, reader)
      await turns()
      expect([settled, upstream_aborted()]).toEqual([['cancelled'], true])
      expect(reading.usage()?.output_tokens).toBe(3)
    },
  )

  test('before the stream began', async () => {
    const gone = new PlainSignal()
    gone.abort()
    const { settled, upstream_aborted } = scene([eventBytes(piece('a'))], { gone })
    await turns()
    expect([settled, upstream_aborted()]).toEqual([['cancelled'], true])
  })

  test('after the end was paid: nothing is settled again', async () => {
    const { stream, caller, settled } = scene([eventBytes(answer('end'))])
    await textOf(stream)
    caller.abort()
    await turns()
    expect(settled).toEqual(['completed'])
  })

  test('while the end is being paid: it stays paid, once', async () => {
    const paid = Promise.withResolvers<void>()
    const settled: StreamEnding[] = []
    const { stream, caller } = scene([eventBytes(answer('end'))], {
      settle(ending) {
        settled.push(ending)
        return paid.promise
      },
    })
    const reader = stream.getReader()
    const last = reader.read().catch(() => undefined)
    await turns()
    caller.abort()
    await turns()
    paid.resolve()
    await last
    await turns()
    expect(settled).toEqual(['completed'])
  })
})

test('a caller who closes the stream while its end is being paid does not break it', async () => {
  const paid = Promise.withResolvers<void>()
  const settled: StreamEnding[] = []
  const { stream, upstream_aborted } = scene([eventBytes(piece('a')), eventBytes(answer('end'))], {
    settle(ending) {
      settled.push(ending)
      return paid.promise
    },
  })
  const reader = stream.getReader()
  await reader.read()
  void reader.read()
  await turns()
  await reader.cancel()
  paid.resolve()
  await turns()
  expect([settled, upstream_aborted()]).toEqual([['completed'], false])
})

test.each([
  ['nothing', [eventBytes(answer('end'))], false],
  ['a part', [eventBytes(piece('a')), eventBytes(answer('end'))], true],
] as const)('the settlement knows whether %s was delivered before the end', async (_, packets, expected) => {
  const delivered: boolean[] = []
  const { stream } = scene(packets, {
    async settle(_ending, _cause, is_delivered) {
      delivered.push(is_delivered)
    },
  })
  await textOf(stream)
  expect(delivered).toEqual([expected])
})

describe('"drain": an abandoned stream is read on, for its usage', () => {
  const drained = (packets: readonly Packet[], drain_timeout_ms = 1_000) =>
    scene(packets, { drain_timeout_ms })

  test('to its end', async () => {
    const go_on = Promise.withResolvers<void>()
    const { stream, caller, settled, reading, reader } = drained([
      eventBytes(piece('a', { usageMetadata: usage(10, 1) })),
      go_on.promise,
      eventBytes(piece('b')),
      eventBytes(answer('end', usage(10, 42))),
    ])
    await stream.getReader().read()
    caller.abort()
    await turns()
    expect(settled).toEqual([])
    go_on.resolve()
    await turns()
    expect([settled, reading.usage()?.output_tokens, reader.read_packets()]).toEqual([['cancelled'], 42, 2])
  })

  test('or until a bug of the gateway ends it, which is reported', async () => {
    const bug = new TypeError('a bug in a translator')
    const relay = passOn(gemini.text.stream.open(), eventFrame())
    let pushed = 0
    const { stream, caller, settled, causes } = scene(
      [eventBytes(piece('a')), Promise.resolve(), eventBytes(piece('b'))],
      {
        drain_timeout_ms: 1_000,
        relay: {
          ...relay,
          push(chunk) {
            if (pushed++ > 0) throw bug
            return relay.push(chunk)
          },
        },
      },
    )
    await stream.getReader().read()
    caller.abort()
    await turns()
    expect([settled, causes]).toEqual([['cancelled'], [bug]])
  })

  test('or until it breaks', async () => {
    const { stream, caller, settled, causes } = drained([eventBytes(piece('a')), new Error('reset')])
    stream.getReader()
    caller.abort()
    await turns()
    expect(settled).toEqual(['cancelled'])
    expect(causes).toEqual([expect.any(UpstreamFault)])
  })

  test('or until its time is up', async () => {
    const { promise, reject } = Promise.withResolvers<void>()
    promise.catch(() => {})
    const { stream, caller, settled } = scene([eventBytes(piece('a')), promise], {
      drain_timeout_ms: 5,
      abortUpstream: () => reject(new Error('aborted')),
    })
    await stream.getReader().read()
    caller.abort()
    expect(settled).toEqual([])
    await promise.catch(() => {})
    await turns()
    expect(settled).toEqual(['cancelled'])
  })
})
