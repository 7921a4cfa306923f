// silent.md, Failures of providers, as callers see them: "An error as a stream's first event is an error before the first byte: the
// next route is tried.", however it is written, in every protocol.
import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { type ProviderStream, STREAMED, type StreamedSurface } from '../disconnect/streams.ts'
import { surfaceModels } from '../disconnect/surfaces.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { IS_LONG, sample } from '../support/long.ts'
import { fileScene } from '../support/scene.ts'
import { type Answer, type Step, splitAt, stream } from '../support/upstream.ts'

/** Each provider has a twin, which is the second route. */
const withTwins = (url: string): string =>
  catalogueOf({
    upstream_url: `${url}/first`,
    provider: 'cooldown_ms = 0',
    more: surfaceModels(`${url}/first`),
  })
    .replaceAll(/\[\[providers\]\]\n(?:[^[\n].*\n)+/g, (section) => {
      const twin = section.replace(/name = "(.*)"/, 'name = "$1-twin"').replace('/first', '/second')
      return `${section}\n${twin}`
    })
    .replaceAll(
      /routes = \[\{ (provider = "(.*?)", .*) \}\]/g,
      (_, route: string, name: string) =>
        `routes = [{ ${route} }, { ${route.replace(name, `${name}-twin`)}, order = 1 }]`,
    )

const { upstream, call, lastCall, gateway } = await fileScene({ catalogue: withTwins })

const HEADERS = { 'content-type': 'text/event-stream' }

async function ask(
  { request }: StreamedSurface,
  first: Answer,
  { events }: ProviderStream,
): Promise<Response> {
  upstream.answer(({ path }) =>
    path.startsWith('/first/') ? first : { headers: HEADERS, steps: events.map((send) => ({ send })) },
  )
  const { path, body, headers = {} } = request
  const encoded = new Response(body instanceof FormData ? body : JSON.stringify(body))
  const content_type =
    body instanceof FormData ? (encoded.headers.get('content-type') ?? '') : 'application/json'
  return call(path, await encoded.bytes(), { headers: { ...headers, 'content-type': content_type } })
}

const everyByte = (text: string): Step[] =>
  splitAt(text, ...Array.from({ length: text.length - 1 }, (_, at) => at + 1))

/** Beginnings that a provider may send in place of an answer. @param error the event by which it reports an error */
const BEGINNINGS: Readonly<Record<string, (error: string) => Answer>> = {
  'an error': (error) => stream({ send: error }),
  'an error, byte by byte': (error) => stream(...everyByte(error)),
  'an error with CRLF': (error) => stream({ send: error.replaceAll('\n', '\r\n') }),
  'an error with CRLF, byte by byte': (error) => stream(...everyByte(error.replaceAll('\n', '\r\n'))),
  'an error without spaces': (error) => stream({ send: error.replaceAll(': ', ':') }),
  'an error after a byte order mark': (error) => stream({ send: `\ufeff${error}` }),
  'an error after comments': (error) =>
    stream({ send: ': one\n\n' }, 'read', { send: `:\n\n: two\n${error}` }),
  'an error after a ping': (error) =>
    stream({ send: 'event: ping\ndata: {"type": "ping"}\n\n' }, 'read', { send: error }),
  'an error after an empty object': (error) => stream({ send: 'data: {}\n\n' }, 'read', { send: error }),
  'an error after an empty event': (error) => stream({ send: 'data:\n\n' }, 'read', { send: error }),
  'an error after an empty event, with a space': (error) =>
    stream({ send: 'data: \n\n' }, 'read', { send: error }),
  'an error after an event without data': (error) =>
    stream({ send: 'event: error\n\n' }, 'read', { send: error }),
  'an error after blank lines': (error) => stream({ send: '\n\n\n' }, 'read', { send: error }),
  'an error whose data is in two lines': (error) =>
    stream({ send: error.replace('data: {', 'data: {\ndata: ') }),
  'an event without data, and the end': () => stream({ send: 'event: error\n\n' }),
  'an empty event, and the end': () => stream({ send: 'data:\n\n' }),
  'an error that is a word': () => stream({ event: { error: 'in a word' } }),
  'an error that is a number': () => stream({ event: { error: 7 } }),
  'an error that is a list': () => stream({ event: { error: [] } }),
  'an error that is empty': () => stream({ event: { error: {} } }),
  'an error that is cut off': () => stream({ send: 'data: {"error":{"message":"sh\n\n' }),
  'an error without an event’s end': (error) => stream({ send: error.trimEnd() }),
  'a whole error': () => ({
    headers: { 'content-type': 'application/json' },
    steps: [{ send: '{"error":{"message":"shard 7"}}' }],
  }),
  'a page': () => ({ headers: { 'content-type': 'text/html' }, steps: [{ send: '<html>shard 7</html>' }] }),
  'an error whose header falsely says gzip': (error) => ({
    headers: { ...HEADERS, 'content-encoding': 'gzip' },
    steps: [{ send: error }],
  }),
  'an error in gzip': (error) => ({
    headers: { ...HEADERS, 'content-encoding': 'gzip' },
    steps: [{ send: gzipSync(error) }],
  }),
  'gzip that is cut off': (error) => ({
    headers: { ...HEADERS, 'content-encoding': 'gzip' },
    steps: [{ send: gzipSync(error).subarray(0, 20) }],
  }),
  nothing: () => stream(),
}

/** One surface for each provider. */
const SURFACES = Object.entries(STREAMED).filter(
  ([, { provider }], index, all) => all.findIndex(([, other]) => other.provider === provider) === index,
)

describe.each(SURFACES.map(([name, surface], at) => [name, surface, at] as const))(
  '%s',
  (_name, surface, row) => {
    const { provider } = surface

    test.each(sample(Object.entries(BEGINNINGS), row))('%s', async (_what, beginning) => {
      const response = await ask(surface, beginning(provider.error), provider)
      const text = await response.text()
      expect([response.status, text.includes('shard')]).toEqual([200, false])
      const record = await lastCall()
      expect(record).toMatchObject({ ...provider.charge(provider.events.length), outcome: 'completed' })
      expect(record.provider).toEndWith('-twin')
    })

    // Events of 10 MB: one protocol is enough for each change.
    if (!IS_LONG && row > 0) return

    test('an error of 10 MB does not count as a first event: the stream starts, breaks, and costs nothing', async () => {
      const long = provider.error.replace('shard', 'x'.repeat(10_000_000))
      const response = await ask(surface, stream({ send: long }), provider)
      const text = await response.text()
      expect([response.status, text.length < 2_000]).toEqual([200, true])
      expect(text).toContain('Nothing was charged')
      expect(await lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: 0 })
    })

    test('a first event of 10 MB passes', async () => {
      const [opening = '', piece = '', ...rest] = provider.events
      const [seen] = surface.seen ?? ['Once upon']
      const long = piece.replace(seen, seen + 'x'.repeat(10_000_000))
      const first = stream(...[opening + long, ...rest].map((send) => ({ send })))
      const text = await (await ask(surface, first, provider)).text()
      expect(text).toContain('x'.repeat(1_000))
      expect(text.length).toBeGreaterThan(10_000_000)
      expect(await lastCall()).toMatchObject({
        ...provider.charge(provider.events.length),
        outcome: 'completed',
      })
    })
  },
)

test('the gateway logs no error for any of them', () => {
  expect(gateway.log.lines().filter(({ level }) => level === 'error')).toEqual([])
})
