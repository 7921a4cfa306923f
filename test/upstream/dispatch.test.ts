// Getting an answer: "The first route that answers … Never a retry after the first byte, and never after the caller has gone."
import { describe, expect, test } from 'bun:test'
import type { Catalogue, Provider, TextModel } from '../../src/domain/catalogue.ts'
import { GatewayError, invalidRequest, UpstreamFault } from '../../src/domain/errors.ts'
import type { UpstreamFailure } from '../../src/protocols/facts.ts'
import { createCooldowns } from '../../src/upstream/cooldowns.ts'
import { type Dispatch, dispatch } from '../../src/upstream/dispatch.ts'
import { ReportedFailure } from '../../src/upstream/failures.ts'
import type { Attempt } from '../../src/upstream/routes.ts'
import type { Sending } from '../../src/upstream/sending.ts'
import { createTokens } from '../../src/upstream/tokens/tokens.ts'
import { type Fetch, fromUpstream, type UpstreamInit } from '../../src/upstream/transport.ts'
import { Deadlines } from '../../src/utilities/deadlines.ts'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'

const NAMES = ['a', 'b', 'c']
const provider = (name: string): Provider => ({
  name,
  protocol: 'gemini',
  responses: false,
  key_header: 'x-goog-api-key',
  base_url: `https://${name}.example`,
  api_keys: ['k'],
  headers: {},
  first_byte_timeout_ms: 50,
  idle_timeout_ms: 50,
  call_timeout_ms: 50,
  cooldown_ms: 1_000,
})
const catalogue: Catalogue = {
  server: {} as Catalogue['server'],
  limits: { reads_per_minute: 600, images_per_minute: 30, refuse_negative_margin: false },
  responses: { store: false, days: 30, max_mb: 0, max_mb_per_account: 0, max_mb_per_conversation: 1 },
  billing: { interrupted: 'charge' },
  brand: {},
  retention: { traces: 90 },
  console: { enabled: true, insecure_http: false, session_hours: 168, idle_hours: 24 },
  storage: { database: undefined, files: undefined },
  sections: new Map(),
  section_secrets: [],
  providers: new Map(NAMES.map((name) => [name, provider(name)])),
  models: new Map(),
  price_groups: new Map(),
}
const routes = NAMES.map((name, order) => ({ provider: name, model: 'm', weight: 1, order }))
const model = { id: 'm', routes } as unknown as TextModel

type Answerer = (init: UpstreamInit) => Response | Promise<Response>

/** A dispatch over providers that are functions, with records of the attempts and failures. */
function over(
  providers: Record<string, Answerer>,
  overrides: Partial<Omit<Dispatch<string>, 'sending'> & Sending<string>> = {},
) {
  const tried: string[] = []
  const failures: [string, UpstreamFailure['failure_class'], string][] = []
  const cooldowns = createCooldowns(() => 0)
  const fetch: Fetch = async (url, init) => {
    const name = new URL(url).hostname.split('.')[0] ?? ''
    tried.push(name)
    const provider = providers[name]
    if (!provider) throw new Error(`nobody is at ${url}`)
    return provider(init)
  }
  const run = () =>
    dispatch<string>(
      {
        fetch,
        cooldowns,
        tokens: createTokens({ fetch, now: () => 0 }),
        deadlines: new Deadlines(),
        now: () => 0,
        random: () => 0,
      },
      {
        catalogue,
        model,
        signal: new PlainSignal(),
        gone: new PlainSignal(),
        sending: {
          streams: false,
          write: ({ provider: { base_url } }) => ({ url: base_url, headers: {}, body: '{}' }),
          open: (response) => fromUpstream(response.text()),
          ...overrides,
        },
        readFailure: (_: Attempt, status, __, body): UpstreamFailure => ({
          failure_class:
            status === 400
              ? 'bad_request'
              : status === 429
                ? 'rate_limited'
                : status === 503
                  ? 'overloaded'
                  : status === 401
                    ? 'bad_key'
                    : 'upstream_error',
          message: body,
          retry_after_s: status === 429 ? 7 : undefined,
        }),
        publicWords: (words) => words.replaceAll('secret', '[hidden]'),
        timeoutOf: () => 50,
        onFailure: ({ provider: { name } }, { failure_class, message }) =>
          failures.push([name, failure_class, message]),
        ...overrides,
      },
    )
  return { run, tried, failures, cooldowns }
}

const status =
  (code: number, body = `status ${code}`): Answerer =>
  () =>
    new Response(body, { status: code })
const breaks: Answerer = () => Promise.reject(new TypeError('connection refused'))
const ok: Answerer = () => new Response('hello')
/** Never answers, and fails when it is aborted. */
const hangs: Answerer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const cutShort: Answerer = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) }))

async function errorOf(promise: Promise<unknown>): Promise<GatewayError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof GatewayError) return thrown
  throw new Error(`expected a GatewayError, got ${thrown}`)
}

describe('a bug of the gateway while an answer is read', () => {
  const BUG = new TypeError('undefined is not an object')
  test('is thrown unchanged: no other route is tried, none is reported, and no key goes into cooldown', async () => {
    const { run, tried, failures, cooldowns } = over(
      { a: ok, b: ok },
      {
        open: async () => {
          throw BUG
        },
      },
    )
    await expect(run()).rejects.toBe(BUG)
    expect([tried, failures, cooldowns.coolingUntil('a#1')]).toEqual([['a'], [], 0])
  })

  test.each([
    ['a failed transport', () => fromUpstream(Promise.reject(new TypeError('fetch failed')))],
    ['a garbled answer', () => Promise.reject(new UpstreamFault('not JSON'))],
  ] as const)('but %s is the provider’s failure', async (_, open) => {
    const { run, failures } = over({ a: ok, b: ok, c: ok }, { open })
    await errorOf(run())
    expect(failures.map(([, of]) => of)).toEqual(['upstream_error', 'upstream_error', 'upstream_error'])
  })
})

describe('goes to the next attempt', () => {
  const FAILING: [string, Answerer, UpstreamFailure['failure_class']][] = [
    ['429', status(429), 'rate_limited'],
    ['500', status(500), 'upstream_error'],
    ['503', status(503), 'overloaded'],
    ['302', status(302), 'upstream_error'],
    ['a refused key', status(401), 'bad_key'],
    ['a failed connection', breaks, 'upstream_error'],
    ['silence', hangs, 'timed_out'],
    ['an answer that is cut', cutShort, 'upstream_error'],
  ]
  test.each(FAILING)('after %s, and puts the key into cooldown', async (_, failing, failure_class) => {
    const { run, tried, failures, cooldowns } = over({ a: failing, b: ok })
    const { answer, attempt } = await run()
    expect([answer, attempt.provider.name, tried]).toEqual(['hello', 'b', ['a', 'b']])
    expect(failures.map(([name, of]) => [name, of])).toEqual([['a', failure_class]])
    expect(cooldowns.coolingUntil('a#1')).toBe(failure_class === 'rate_limited' ? 7_000 : 1_000)
    expect(cooldowns.coolingUntil('b#1')).toBe(0)
  })

  test('until one answers, each once', async () => {
    const { run, tried } = over({ a: status(500), b: breaks, c: ok })
    expect((await run()).attempt.provider.name).toBe('c')
    expect(tried).toEqual(['a', 'b', 'c'])
  })

  test('past a route that cannot carry the request, which is no failure', async () => {
    const { run, tried, failures, cooldowns } = over(
      { a: ok, b: ok },
      {
        write({ provider: { name, base_url } }) {
          if (name === 'a') throw invalidRequest('a cannot carry it')
          return { url: base_url, headers: {}, body: '{}' }
        },
      },
    )
    expect((await run()).attempt.provider.name).toBe('b')
    expect([tried, failures, cooldowns.coolingUntil('a#1')]).toEqual([['b'], [], 0])
  })
})

describe('an empty answer, which its caller may have caused', () => {
  const silent: Answerer = () => new Response('')
  const open = async (response: Response) => {
    const text = await response.text()
    if (text !== '') return text
    const failure = { failure_class: 'upstream_error', message: 'silent', retry_after_s: undefined } as const
    throw new ReportedFailure({ ...failure, is_silent: true })
  }
  const TWO_KEYS = new Map(catalogue.providers).set('a', { ...provider('a'), api_keys: ['k', 'l'] })
  test.each<[string, Answerer[], string[], string | undefined]>([
    ['goes to the next route', [silent, ok, ok], ['a', 'b'], 'b'],
    ['goes to the next beside other failures', [silent, status(500), ok], ['a', 'b', 'c'], 'c'],
    ['from two routes ends the call', [silent, silent, ok], ['a', 'b'], undefined],
    ['from two that are not neighbours, too', [silent, status(500), silent], ['a', 'b', 'c'], undefined],
  ])('%s, with no other key of its route, and none cools down', async (_, [a, b, c], order, winner) => {
    const { run, tried, cooldowns } = over(
      { a: a as Answerer, b: b as Answerer, c: c as Answerer },
      { open, catalogue: { ...catalogue, providers: TWO_KEYS } },
    )
    const ended = await run().then(
      ({ attempt }) => attempt.provider.name,
      ({ kind }) => kind,
    )
    expect([ended, tried]).toEqual([winner ?? 'upstream_failed', order])
    expect(['a#1', 'a#2'].map((key) => cooldowns.coolingUntil(key))).toEqual([0, 0])
  })
})

describe('ends the call', () => {
  test('at once when the request itself is refused: with the provider’s own message, redacted, and no cooldown', async () => {
    const { run, tried, failures, cooldowns } = over({ a: status(400, 'topP is secret'), b: ok })
    const error = await errorOf(run())
    expect([error.kind, error.message]).toEqual(['invalid_request', 'topP is [hidden]'])
    expect([tried, failures, cooldowns.coolingUntil('a#1')]).toEqual([['a'], [], 0])
  })

  test.each([
    ['rate_limited', [status(429), status(429), status(429)], 'rate_limited', 7],
    [
      'rate_limited, where not all were',
      [status(503), status(500), status(429)],
      'upstream_failed',
      undefined,
    ],
    ['overloaded', [status(500), status(429), status(503)], 'upstream_overloaded', undefined],
    ['silent', [status(500), status(429), hangs], 'upstream_timeout', undefined],
    ['upstream_error', [status(429), hangs, status(500)], 'upstream_failed', undefined],
    ['refusing its key', [status(401), status(401), status(401)], 'upstream_failed', undefined],
  ])('when every route failed, as the last one did: %s', async (_, [a, b, c], kind, retry_after_s) => {
    const { run, tried } = over({ a: a as Answerer, b: b as Answerer, c: c as Answerer })
    const error = await errorOf(run())
    expect([error.kind, error.retry_after_s, tried]).toEqual([
      kind as GatewayError['kind'],
      retry_after_s,
      NAMES,
    ])
    expect(error.message).not.toContain('status')
  })

  test('when no route can carry the request, with the first route’s reason', async () => {
    const { run, tried } = over(
      {},
      {
        write({ provider: { name } }) {
          throw invalidRequest(`${name} cannot carry it`)
        },
      },
    )
    const error = await errorOf(run())
    expect([error.kind, error.message, tried]).toEqual(['invalid_request', 'a cannot carry it', []])
  })

  test('an error of the gateway itself is not a failure of a provider', async () => {
    const { run, cooldowns } = over(
      { a: ok },
      {
        write() {
          throw new TypeError('a mistake of ours')
        },
      },
    )
    await expect(run()).rejects.toThrow(TypeError)
    expect(cooldowns.coolingUntil('a#1')).toBe(0)
  })
})

describe('when the caller has disconnected', () => {
  test('the attempt is aborted, no other is started, and no key goes into cooldown', async () => {
    const leaving = new PlainSignal()
    let aborted = false
    const { run, tried, cooldowns } = over(
      {
        a({ signal }) {
          signal.addEventListener('abort', () => {
            aborted = true
          })
          queueMicrotask(() => leaving.abort())
          return hangs({ signal } as UpstreamInit)
        },
        b: ok,
      },
      { signal: leaving, gone: leaving },
    )
    await errorOf(run())
    expect([aborted, tried, cooldowns.coolingUntil('a#1')]).toEqual([true, ['a'], 0])
  })

  test('before the first attempt, none is made', async () => {
    const gone = new PlainSignal()
    gone.abort()
    const { run, tried } = over({ a: ok }, { signal: gone, gone })
    await errorOf(run())
    expect(tried).toEqual([])
  })
})

describe('the time of an attempt', () => {
  const TIMEOUT_MS = 20
  test('covers the reading of the first part, and ends with it', async () => {
    const signals: AbortSignal[] = []
    const { run } = over(
      {
        a({ signal }) {
          signals.push(signal)
          return new Response('hello')
        },
      },
      { timeoutOf: () => TIMEOUT_MS },
    )
    const { answer } = await run()
    // Timers of one delay fire in the order in which they were set: the attempt's would have fired before this one.
    await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS))
    expect([answer, signals[0]?.aborted]).toEqual(['hello', false])
  })

  test('the reader of the rest can still abort it', async () => {
    const signals: AbortSignal[] = []
    const { run } = over(
      {
        a({ signal }) {
          signals.push(signal)
          return new Response('hello')
        },
      },
      { streams: true },
    )
    const { abort } = await run()
    abort()
    expect(signals[0]?.aborted).toBe(true)
  })

  test('covers a refusal whose body never ends', async () => {
    let pulled = 0
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled++
            controller.enqueue(new Uint8Array(16 * 1024).fill(120))
          },
        }),
        { status: 500 },
      )
    const { run, failures } = over({ a: endless, b: ok })
    await run()
    expect(failures[0]?.[2].length).toBeLessThan(200 * 1024)
    expect(pulled).toBeLessThan(10)
  })
})

describe('a caller who disconnects', () => {
  const leaving = (fails: (init: UpstreamInit) => Promise<Response>) => {
    const gone = new PlainSignal()
    const abandoned: string[] = []
    const { run, tried } = over(
      {
        a: (init) => {
          gone.abort()
          return fails(init)
        },
      },
      { gone, signal: gone, abandoned: ({ provider: { name } }) => abandoned.push(name) },
    )
    return { abandoned, tried, ended: run().catch(() => tried) }
  }
  const failing = (code: string) => async () => {
    throw Object.assign(new TypeError('Unable to connect'), { code })
  }

  test.each<[string, (init: UpstreamInit) => Promise<Response>, string[]]>([
    [
      'while the request is under way: it counts as sent',
      async ({ signal }) => Promise.reject(signal.reason),
      ['a'],
    ],
    ['while the connection breaks: it counts as sent', failing('ECONNRESET'), ['a']],
    ['while the connection is refused', failing('ECONNREFUSED'), []],
    ['while the name is not found', failing('ENOTFOUND'), []],
    ['while the certificate is refused', failing('DEPTH_ZERO_SELF_SIGNED_CERT'), []],
    ['while the provider refuses', async () => new Response('', { status: 503 }), []],
  ])('%s', async (_what, fails, expected) => {
    const { abandoned, ended } = leaving(fails)
    expect(await ended).toEqual(['a'])
    expect(abandoned).toEqual(expected)
  })

  test('before the first attempt: nothing was sent', async () => {
    const abandoned: string[] = []
    const gone = new PlainSignal()
    gone.abort()
    const { run, tried } = over({}, { gone, abandoned: ({ provider: { name } }) => abandoned.push(name) })
    await expect(run()).rejects.toThrow()
    expect([tried, abandoned]).toEqual([[], []])
  })
})

describe('the signal of an attempt', () => {
  /** Signals of the attempts, in the order in which they were made. */
  function recorded(overrides: Parameters<typeof over>[1] = {}, first: Answerer = ok) {
    const signals: AbortSignal[] = []
    const recording =
      (answer: Answerer): Answerer =>
      (init) => {
        signals.push(init.signal)
        return answer(init)
      }
    return { ...over({ a: recording(first), b: recording(ok) }, overrides), signals }
  }

  test('is used again once an answer was read whole, which it can no longer end', async () => {
    const { run, signals } = recorded()
    const { abort } = await run()
    await run()
    abort()
    expect(signals[1]).toBe(signals[0])
    expect(signals[0]?.aborted).toBe(false)
  })

  test('belongs to one attempt while it runs: two at once have two', async () => {
    const { run, signals } = recorded()
    await Promise.all([run(), run()])
    expect(signals[0]).not.toBe(signals[1])
  })

  test.each([{ streams: true }, { is_read_on: true }])(
    'of an answer that is read on is never used again, and ends it: %j',
    async (read_on) => {
      const { run, signals } = recorded(read_on)
      const { abort } = await run()
      await run()
      abort()
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    },
  )

  test.each([
    ['was silent', hangs],
    ['was cut', cutShort],
    ['was refused', status(429)],
  ] as const)('of an attempt that %s is never used again', async (_, failing) => {
    const { run, signals } = recorded({}, failing)
    expect((await run()).attempt.provider.name).toBe('b')
    expect(signals[1]).not.toBe(signals[0])
    expect(signals[1]?.aborted).toBe(false)
  })
})
