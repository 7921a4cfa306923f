// SIGTERM on a real process under load: new calls are refused, those under way finish within the limit or are ended, all
// is settled, the exit status is 0 and the audit is clean.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { catalogueOf, MODEL } from '../support/catalogue.ts'
import { connectRaw, rawPost } from '../support/raw-client.ts'
import {
  eventBytes,
  type Seen,
  type Step,
  startUpstream,
  stream,
  type Upstream,
} from '../support/upstream.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'

setDefaultTimeout(60_000)

const BODY = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const GENERATE = `/v1beta/models/${MODEL}:generateContent`
const STREAM = `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`

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
const STREAMS = 8
const WHOLES = 4

interface Scene extends AsyncDisposable {
  upstream: Upstream
  gateway: GatewayProcess
}

async function openScene(server: string): Promise<Scene> {
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

/** The vendor sends a stream's first event, and all the rest when it is told to. */
const answering = (rest: Step) => (seen: Seen) =>
  seen.path.includes('stream')
    ? stream({ event: FIRST }, rest, { event: LAST })
    : { headers: { 'content-type': 'application/json' }, steps: [rest, { send: JSON.stringify(LAST) }] }

const post = ({ gateway }: Scene, path: string) =>
  fetch(new URL(path, gateway.url), {
    method: 'POST',
    headers: { 'x-api-key': gateway.key },
    body: JSON.stringify(BODY),
  })

/** Streams of which the first event has come, and whole calls that the vendor has seen. */
async function callsUnderWay(scene: Scene) {
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => post(scene, STREAM)))
  const wholes = Array.from({ length: WHOLES }, () => post(scene, GENERATE))
  await until(() => scene.upstream.seen.length === STREAMS + WHOLES)
  return { streams, wholes }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(5)
}

const notReady = ({ gateway }: Scene) =>
  until(async () => (await fetch(new URL('/readyz', gateway.url))).status === 503)

describe('SIGTERM', () => {
  test('refuses new calls, lets those under way finish, settles them, and exits with 0', async () => {
    await using scene = await openScene('')
    const { gateway, upstream } = scene
    const rest = Promise.withResolvers<void>()
    upstream.answer(answering({ wait: rest.promise }))
    const { streams, wholes } = await callsUnderWay(scene)

    gateway.signal('SIGTERM')
    await notReady(scene)
    expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200)
    const refused = await post(scene, GENERATE)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.json()).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } })
    rest.resolve()

    const story = Buffer.concat([eventBytes(FIRST), eventBytes(LAST)]).toString()
    for (const answer of streams) expect(await answer.text()).toBe(story)
    for (const answer of wholes) expect(await (await answer).json()).toEqual(LAST)
    expect(await gateway.ended).toBe(0)

    const { findings, calls, holds } = gateway.books()
    expect(findings).toEqual([])
    expect(holds.map(({ state }) => state)).toEqual(Array(STREAMS + WHOLES).fill('posted'))
    expect(calls.map(({ outcome, cost_nanos }) => ({ outcome, cost_nanos }))).toEqual(
      Array(STREAMS + WHOLES).fill({ outcome: 'completed', cost_nanos: LAST_NANOS }),
    )
    await expect(fetch(gateway.url)).rejects.toThrow()
  })

  test.each(['cancel', 'drain'])(
    'ends what is longer than the limit, with what was delivered charged (on_disconnect = %s)',
    async (on_disconnect) => {
      await using scene = await openScene(`shutdown_timeout_ms = 300\non_disconnect = "${on_disconnect}"`)
      const { gateway, upstream } = scene
      upstream.answer(answering('hang'))
      const { streams, wholes } = await callsUnderWay(scene)
      gateway.signal('SIGTERM')

      for (const answer of streams) {
        const text = await answer.text()
        expect(text).toStartWith(eventBytes(FIRST).toString())
        expect(text).toContain('"code":503')
        expect(text).not.toContain('STOP')
      }
      for (const answer of wholes) expect((await answer).status).toBe(503)
      expect(await gateway.ended).toBe(0)

      const { findings, calls, holds } = gateway.books()
      expect(findings).toEqual([])
      expect(holds.filter(({ state }) => state === 'pending')).toEqual([])
      const of = (streamed: number) => calls.filter((call) => call.streamed === streamed)
      expect(of(1).map(({ outcome, cost_nanos }) => ({ outcome, cost_nanos }))).toEqual(
        Array(STREAMS).fill({ outcome: 'broken', cost_nanos: FIRST_NANOS }),
      )
      expect(of(0).map(({ outcome, status, cost_nanos }) => ({ outcome, status, cost_nanos }))).toEqual(
        Array(WHOLES).fill({ outcome: 'failed', status: 503, cost_nanos: 0 }),
      )
      expect(upstream.seen.map(({ aborted }) => aborted)).toEqual(Array(STREAMS + WHOLES).fill(true))
    },
  )

  test('waits for nobody who does not read, and for no connection that is only open', async () => {
    await using scene = await openScene('shutdown_timeout_ms = 300')
    const { gateway, upstream } = scene
    const text = 'word '.repeat(20_000)
    const large = { ...FIRST, candidates: [{ content: { role: 'model', parts: [{ text }] } }] }
    upstream.answer(stream(...Array.from({ length: 400 }, () => ({ event: large })), { event: LAST }))
    const reader = await connectRaw(gateway.url)
    reader.send(rawPost(STREAM, BODY, { 'x-api-key': gateway.key }))
    await reader.sees('word')
    reader.pause()
    const idle = await connectRaw(gateway.url)
    idle.send('GET /healthz HTTP/1.1\r\nhost: gateway.test\r\n\r\n')
    await idle.sees('ok')

    gateway.signal('SIGINT')
    expect(await gateway.ended).toBe(0)
    const { findings, calls, holds } = gateway.books()
    expect(findings).toEqual([])
    expect(holds.map(({ state }) => state)).toEqual(['posted'])
    expect(calls.map(({ outcome, cost_nanos }) => ({ outcome, cost_nanos }))).toEqual([
      { outcome: 'broken', cost_nanos: FIRST_NANOS },
    ])
    reader.leave('close')
  })

  test('asked twice, it ends at once with a status that is not 0; the holds wait for the next start', async () => {
    await using scene = await openScene('')
    const { gateway, upstream } = scene
    upstream.answer(answering('hang'))
    const { wholes } = await callsUnderWay(scene)
    const given_up = Promise.allSettled(wholes)
    gateway.signal('SIGTERM')
    await notReady(scene)
    gateway.signal('SIGTERM')
    expect(await gateway.ended).not.toBe(0)
    await given_up
    const { findings, holds } = gateway.books()
    expect(findings).toEqual([])
    expect(holds.map(({ state }) => state)).toEqual(Array(STREAMS + WHOLES).fill('pending'))
  })
})
