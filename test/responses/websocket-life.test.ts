// The life of a WebSocket: callers who disconnect or stop reading, a gateway that stops, idle sockets, and how many there may be.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { fileScene, type Scene, scene } from '../support/scene.ts'
import { type Script, type Step, stream } from '../support/upstream.ts'
import { openSocket } from '../support/web-socket.ts'

setDefaultTimeout(60_000)

const FIRST = { model: MODEL, input: 'Why?' }
const words = (text: string): Step => ({
  event: {
    candidates: [{ content: { role: 'model', parts: [{ text }] } }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3 },
  },
})
const END: Step = {
  event: {
    candidates: [{ content: { role: 'model', parts: [{ text: '.' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 6 },
  },
}

let skew_ms = 0
/** The tests of a gateway that stops have their own. */
const shared = await fileScene({
  server: 'stalled_reader_timeout_ms = 1000\n[limits]\nreads_per_minute = 10000',
  now: () => Date.now() + skew_ms,
})

/** Opens a socket, and waits for the first output of its response. */
async function start(s: Scene, script: Script, creates = 1) {
  s.upstream.answer(script)
  const socket = await openSocket(s.gateway, s)
  for (let sent = 0; sent < creates; sent++) socket.send({ type: 'response.create', ...FIRST })
  for (;;) if ((await socket.next()).type === 'response.output_text.delta') return socket
}

test('a caller who disconnects in the middle of an answer pays for the delivered part; the upstream call ends', async () => {
  const socket = await start(shared, stream(words('Once'), 'hang'))
  socket.raw.close()
  await shared.upstream.last().over
  expect(await shared.lastCall()).toMatchObject({ outcome: 'cancelled', streamed: 1 })
  expect((await shared.lastCall()).cost_nanos).toBeGreaterThan(0)
})

test.each([
  ['a request that waits in a lane when its caller disconnects never starts', 3, 'close'],
  ['a disconnect is noticed on a socket that is not read because so much waits', 100, 'terminate'],
] as const)('%s', async (_, creates, end) => {
  const { calls, holds, requests } = shared.counts()
  const socket = await start(shared, stream(words('Once'), 'hang'), creates)
  socket.raw[end]()
  await shared.upstream.last().over
  await shared.gateway.rest()
  expect(shared.counts()).toEqual({ calls: calls + 1, holds: holds + 1, requests: requests + 1 })
})

test('a caller who stops reading is disconnected, and charged once', async () => {
  const endless = Array.from({ length: 4_000 }, () => words('x'.repeat(16_384)))
  const socket = await start(shared, stream(...endless))
  socket.raw.pause()
  await shared.upstream.last().over
  expect(shared.upstream.last().aborted).toBe(true)
  expect(await shared.lastCall()).toMatchObject({ outcome: 'cancelled' })
  socket.raw.resume()
  expect(await socket.closed).toMatchObject({ code: 1006 })
})

test('an event of 8 MB arrives whole', async () => {
  const long = 'x'.repeat(8 * 1024 * 1024)
  shared.upstream.answer(stream(words(long), END))
  const socket = await openSocket(shared.gateway, shared)
  const got = await socket.create(FIRST)
  expect(got.find(({ type }) => type === 'response.output_text.delta')?.delta === long).toBe(true)
  expect(got.at(-1)).toMatchObject({ type: 'response.completed' })
  socket.raw.close()
})

describe('the gateway stops', () => {
  test('idle sockets are closed at once, with a reason', async () => {
    await using s = await scene()
    const sockets = await Promise.all(Array.from({ length: 5 }, () => openSocket(s.gateway, s)))
    const stopped = s.gateway.started.stop()
    for (const { closed } of sockets)
      expect(await closed).toEqual({ code: 1012, reason: expect.stringContaining('restarting') })
    await stopped
  })

  test('a call under way ends first; a request meanwhile is refused, as is a new socket', async () => {
    await using s = await scene()
    const rest = Promise.withResolvers<void>()
    const socket = await start(s, stream(words('Once'), { wait: rest.promise }, END))
    const stopped = s.gateway.started.stop()
    expect(await socket.create({ ...FIRST, stream_id: 'more' })).toMatchObject([
      { type: 'error', status: 503, stream_id: 'more', headers: { 'retry-after': '5' } },
    ])
    const late = await s.call('/v1/responses', undefined, {
      method: 'GET',
      headers: { upgrade: 'websocket', connection: 'upgrade' },
    })
    expect(late.status).toBe(503)
    rest.resolve()
    expect((await socket.untilEnd()).at(-1)).toMatchObject({ type: 'response.completed' })
    expect(await socket.closed).toMatchObject({ code: 1012 })
    await stopped
    expect(s.gateway.rows().calls).toMatchObject([{ outcome: 'completed' }])
    expect(s.gateway.rows().holds.map(({ state }) => state)).toEqual(['posted'])
  })

  test('a call that takes too long is ended with an error, and charged', async () => {
    await using s = await scene({ server: 'shutdown_timeout_ms = 200' })
    const socket = await start(s, stream(words('Once'), 'hang'))
    const stopped = s.gateway.started.stop()
    const got = await socket.untilEnd()
    expect(got.at(-1)).toMatchObject({ type: 'error', code: 'overloaded' })
    expect(await socket.closed).toMatchObject({ code: 1012 })
    await stopped
    expect(s.gateway.rows().calls).toMatchObject([{ outcome: 'broken' }])
  })
})

test('a connection is closed after an hour, with a code that lets its caller connect again', async () => {
  const socket = await openSocket(shared.gateway, shared)
  skew_ms += 3_600_000
  expect(await socket.next()).toMatchObject({
    type: 'error',
    status: 400,
    error: { code: 'websocket_connection_limit_reached' },
  })
  expect(await socket.closed).toMatchObject({ code: 1001 })
})

test('an account has 128 sockets at most: one more gets 426, after which Codex goes on by POST', async () => {
  const { gateway } = shared
  const own = { key: await gateway.caller() }
  const sockets = await Promise.all(Array.from({ length: 128 }, () => openSocket(gateway, own)))
  await expect(openSocket(gateway, own)).rejects.toThrow('not opened')
  const other = await openSocket(gateway, { key: await gateway.caller() })
  sockets[0]?.raw.close()
  await eventually('there is room again', async () => {
    const again = await openSocket(gateway, own).catch(() => undefined)
    again?.raw.close()
    return again !== undefined
  })
  for (const { raw } of [...sockets, other]) raw.close()
})

test('sockets that come and go do not flood the log: an account writes 100 lines at once', async () => {
  await using s = await scene()
  for (let opened = 0; opened < 60; opened++) {
    const socket = await openSocket(s.gateway, s)
    socket.raw.close()
    await socket.closed
  }
  const lines = s.gateway.log.lines().filter(({ message }) => message?.startsWith('a WebSocket was'))
  expect(lines.length).toBe(100)
})
