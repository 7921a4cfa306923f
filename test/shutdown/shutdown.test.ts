// Shutdown: a real process with calls under way gets SIGTERM. It refuses new calls, ends the others at the limit at the latest, settles
// all of them, and exits with 0; the audit is clean.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { catalogueOf } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'
import { streamPath, wholePath } from '../support/native.ts'
import { connectSocket, rawPost } from '../support/socket-client.ts'
import {
  eventBytes,
  type Step,
  startUpstream,
  stream,
  type Upstream,
  type UpstreamRequest,
} from '../support/upstream.ts'

setDefaultTimeout(60_000)

const BODY = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

const FIRST = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Once upon' }] } }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3 },
}
const LAST = {
  candidates: [{ content: { role: 'model', parts: [{ text: ' a time.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 6 },
}
const FIRST_NANOS = 10 * 1_000 + 3 * 4_000
const LAST_NANOS = 10 * 1_000 + 6 * 4_000
const STREAMS = 20
const WHOLES = 4

interface ProcessScene extends AsyncDisposable {
  upstream: Upstream
  gateway: GatewayProcess
}

async function processScene(server: string): Promise<ProcessScene> {
  const upstream = await startUpstream()
  const gateway = await startGatewayProcess(catalogueOf({ upstream_url: upstream.url, server }))
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Answers a stream with its first event at once, and with the rest after this step; a whole answer comes after it, too. */
const answering = (step: Step) => (seen: UpstreamRequest) =>
  seen.path.includes(':stream')
    ? stream({ event: FIRST }, step, { event: LAST })
    : { headers: { 'content-type': 'application/json' }, steps: [step, { send: JSON.stringify(LAST) }] }

const post = ({ gateway }: ProcessScene, path: string) =>
  fetch(new URL(path, gateway.url), {
    method: 'POST',
    headers: { 'x-api-key': gateway.key },
    body: JSON.stringify(BODY),
  })

/** Streams whose first event has come, and whole calls that have reached the upstream. */
async function callsUnderWay(s: ProcessScene) {
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => post(s, streamPath())))
  const wholes = Array.from({ length: WHOLES }, () => post(s, wholePath()))
  await s.upstream.waitForRequest(STREAMS + WHOLES)
  return { streams, wholes }
}

const notReady = ({ gateway }: ProcessScene) =>
  eventually(
    'the gateway is not ready',
    async () => (await fetch(new URL('/readyz', gateway.url))).status === 503,
  )

describe('SIGTERM', () => {
  test('refuses new calls, lets those under way finish, settles them, and exits with 0', async () => {
    await using s = await processScene('')
    const { gateway, upstream } = s
    const rest = Promise.withResolvers<void>()
    upstream.answer(answering({ wait: rest.promise }))
    const { streams, wholes } = await callsUnderWay(s)

    gateway.signal('SIGTERM')
    await notReady(s)
    expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200)
    const refused = await post(s, wholePath())
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.json()).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } })
    rest.resolve()

    const story = Buffer.concat([eventBytes(FIRST), eventBytes(LAST)]).toString()
    for (const answer of streams) expect(await answer.text()).toBe(story)
    for (const answer of wholes) expect(await (await answer).json()).toEqual(LAST)
    expect(await gateway.ended).toBe(0)

    const { calls, holds } = gateway.books()
    const findings = await gateway.findings()
    expect(findings).toEqual([])
    expect(holds.map(({ state }) => state)).toEqual(Array(STREAMS + WHOLES).fill('posted'))
    expect(calls.map(({ outcome, cost_nanos }) => ({ outcome, cost_nanos }))).toEqual(
      Array(STREAMS + WHOLES).fill({ outcome: 'completed', cost_nanos: LAST_NANOS }),
    )
    await expect(fetch(gateway.url)).rejects.toThrow()
  })

  test.each(['cancel', 'drain'])(
    'ends calls that outlast the limit, and charges the delivered part (on_disconnect = %s)',
    async (on_disconnect) => {
      await using s = await processScene(`shutdown_timeout_ms = 300\non_disconnect = "${on_disconnect}"`)
      const { gateway, upstream } = s
      upstream.answer(answering('hang'))
      const { streams, wholes } = await callsUnderWay(s)
      gateway.signal('SIGTERM')

      for (const answer of streams) {
        const text = await answer.text()
        expect(text).toStartWith(eventBytes(FIRST).toString())
        expect(text).toContain('"code":503')
        expect(text).not.toContain('STOP')
      }
      for (const answer of wholes) expect((await answer).status).toBe(503)
      expect(await gateway.ended).toBe(0)

      const { calls, holds } = gateway.books()
      const findings = await gateway.findings()
      expect(findings).toEqual([])
      expect(holds.filter(({ state }) => state === 'pending')).toEqual([])
      const of = (streamed: number) => calls.filter((call) => call.streamed === streamed)
      expect(of(1).map(({ outcome, cost_nanos }) => ({ outcome, cost_nanos }))).toEqual(
        Array(STREAMS).fill({ outcome: 'broken', cost_nanos: FIRST_NANOS }),
      )
      expect(of(0).map(({ outcome, status, cost_nanos }) => ({ outcome, status, cost_nanos }))).toEqual(
        Array(WHOLES).fill({ outcome: 'failed', status: 503, cost_nanos: 0 }),
      )
      await eventually('the upstream sees each call end', () =>
        upstream.requests.every(({ aborted }) => aborted),
      )
      expect(upstream.requests).toHaveLength(STREAMS + WHOLES)
    },
  )

  test('SIGHUP after it, as from a terminal that closes, ends no call', async () => {
    await using s = await processScene('')
    const { gateway, upstream } = s
    const rest = Promise.withResolvers<void>()
    upstream.answer(answering({ wait: rest.promise }))
    const open = await post(s, streamPath())
    gateway.signal('SIGTERM')
    await notReady(s)
    gateway.signal('SIGHUP')
    expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200)
    rest.resolve()
    expect(await open.text()).toContain(' a time.')
    expect(await gateway.ended).toBe(0)
    expect(gateway.books().holds.map(({ state }) => state)).toEqual(['posted'])
  })

  test('does not wait for a caller who does not read, nor for an idle connection', async () => {
    await using s = await processScene('shutdown_timeout_ms = 300')
    const { gateway, upstream } = s
    const text = 'word '.repeat(20_000)
    const large = { ...FIRST, candidates: [{ content: { role: 'model', parts: [{ text }] } }] }
    upstream.answer(stream(...Array.from({ length: 400 }, () => ({ event: large })), { event: LAST }))
    const reader = await connectSocket(gateway.url)
    reader.send(rawPost(streamPath(), BODY, { 'x-api-key': gateway.key }))
    await reader.waitForText('word')
    reader.pause()
    const idle = await connectSocket(gateway.url)
    idle.send('GET /healthz HTTP/1.1\r\nhost: gateway.test\r\n\r\n')
    await idle.waitForText('ok')

    gateway.signal('SIGINT')
    expect(await gateway.ended).toBe(0)
    const { calls, holds } = gateway.books()
    const findings = await gateway.findings()
    expect(findings).toEqual([])
    expect(holds.map(({ state }) => state)).toEqual(['posted'])
    expect(calls.map(({ outcome, cost_nanos }) => ({ outcome, cost_nanos }))).toEqual([
      { outcome: 'broken', cost_nanos: FIRST_NANOS },
    ])
    reader.leave('close')
  })

  test('a second SIGTERM ends the process at once with a status other than 0; the holds stay for the next start', async () => {
    await using s = await processScene('')
    const { gateway, upstream } = s
    upstream.answer(answering('hang'))
    const { wholes } = await callsUnderWay(s)
    const abandoned = Promise.allSettled(wholes)
    await eventually('all holds have their rows', () => gateway.books().holds.length === STREAMS + WHOLES)
    gateway.signal('SIGTERM')
    await notReady(s)
    gateway.signal('SIGTERM')
    expect(await gateway.ended).not.toBe(0)
    await abandoned
    const { holds } = gateway.books()
    const findings = await gateway.findings()
    expect(findings).toEqual([])
    expect(holds.map(({ state }) => state)).toEqual(Array(STREAMS + WHOLES).fill('pending'))
  })
})
