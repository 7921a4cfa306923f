// Callers who disconnect before any provider has their request, or while the gateway waits for a provider: nobody gets an answer, so
// no failed request is logged or counted; a call has its record, cancelled.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BeforeCall } from '../../src/plugin-api.ts'
import { MODEL, PICTURE } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { readExposition } from '../support/exposition.ts'
import { SILENCE } from '../support/upstream.ts'
import { openSocket } from '../support/web-socket.ts'
import { type DisconnectScene, disconnectScene, expectSettledOnce, FREE, sendRaw } from './support.ts'
import {
  OVER_CHAT,
  OVER_IMAGES,
  OVER_MESSAGES,
  OVER_RESPONSES,
  REQUESTS,
  type SurfaceRequest,
  surfaceModels,
  VOICE,
  wireOf,
} from './surfaces.ts'

setDefaultTimeout(20_000)

const hooks: { before?: BeforeCall | undefined } = {}
Object.assign(globalThis, { hooks_of_unsent: hooks })

const TOKEN = 'the-token-of-the-metrics'
const s = await disconnectScene({
  more: (url) => `${surfaceModels(url)}\n[metrics]\ntoken = "${TOKEN}"\n`,
  provider: 'cooldown_ms = 0',
  own_plugins: {
    'waits.ts':
      'export default ({ gateway }) => gateway.beforeCall((call) => globalThis.hooks_of_unsent.before?.(call))',
  },
  plugin_limits: { before_limit_ms: 30_000 },
})
afterAll(() => s[Symbol.asyncDispose]())

/** A hook that the next call waits for, until `goOn`. */
function holdUp() {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  hooks.before = async () => {
    hooks.before = undefined
    reached.resolve()
    await released.promise
  }
  return { reached: reached.promise, goOn: released.resolve }
}

const UNSENT = { ...FREE, outcome: 'cancelled', status: 499, provider: '' } as const

async function errorAnswers({ gateway }: DisconnectScene): Promise<number> {
  const families = readExposition(await (await gateway.call('/metrics', undefined, { key: TOKEN })).text())
  const { samples = [] } = families.get('tollgate_error_answers_total') ?? {}
  return samples.reduce((sum, { value }) => sum + value, 0)
}

/** Messages about requests, but for those of calls. */
const linesAbout = (message: RegExp) => s.gateway.log.lines().filter((line) => message.test(line.message))

const DISCONNECTED = /^the client disconnected before an answer$/

async function expectNoFailure(errors_before: number): Promise<void> {
  expect(linesAbout(/^request (failed|refused)$/)).toEqual([])
  expect(await errorAnswers(s)).toBe(errors_before)
}

const SURFACES: Readonly<Record<string, SurfaceRequest>> = {
  'native, whole': REQUESTS.native(MODEL, false),
  'native, streamed': REQUESTS.native(MODEL, true),
  'messages, whole': REQUESTS.messages(OVER_MESSAGES, false),
  'messages, streamed': REQUESTS.messages(OVER_MESSAGES, true),
  'chat, whole': REQUESTS.chat(OVER_CHAT, false),
  'chat, streamed': REQUESTS.chat(OVER_CHAT, true),
  'responses, whole': REQUESTS.responses(OVER_RESPONSES, false),
  'responses, streamed': REQUESTS.responses(OVER_RESPONSES, true),
  completions: REQUESTS.completions(OVER_CHAT, false),
  speech: REQUESTS.speech(VOICE),
  transcription: REQUESTS.transcription('ear-by-token', false),
  moderation: REQUESTS.moderation('judge-paid'),
  rerank: REQUESTS.rerank('sorter'),
}
const TEXTS = Object.entries(SURFACES)
const IMAGES: Readonly<Record<string, SurfaceRequest>> = {
  'an image': REQUESTS.generations(PICTURE, false),
  'an image as events': REQUESTS.generations(OVER_IMAGES, true),
  'an edit': REQUESTS.edits(OVER_IMAGES, false),
  'an image by chat': REQUESTS.chat(PICTURE, false),
}

describe('a disconnect before the first attempt: cancelled, free, and no failed request', () => {
  const leave = async (request: SurfaceRequest): Promise<string> => {
    const seen = s.upstream.requests.length
    const hook = holdUp()
    const left = s.callers.left.count
    const { key, client } = await sendRaw(s.gateway, await wireOf(request))
    await hook.reached
    client.leave('reset')
    await s.callers.left.reaches(left + 1)
    hook.goOn()
    await s.gateway.rest()
    expect(s.upstream.requests).toHaveLength(seen)
    return key
  }

  test.each(TEXTS)('%s', async (_name, request) => {
    const errors = await errorAnswers(s)
    const key = await leave(request)
    await expectSettledOnce(s, key, UNSENT)
    await expectNoFailure(errors)
  })

  test.each(Object.entries(IMAGES))(
    '%s, which waits for memory before its hold: a log line instead',
    async (_name, request) => {
      const errors = await errorAnswers(s)
      const { calls, holds } = s.counts()
      const lines = linesAbout(DISCONNECTED).length
      await leave(request)
      await eventually('it is logged', () => linesAbout(DISCONNECTED).length === lines + 1)
      expect(s.counts()).toMatchObject({ calls, holds })
      await expectNoFailure(errors)
    },
  )

  test('a create over a WebSocket', async () => {
    const errors = await errorAnswers(s)
    const seen = s.upstream.requests.length
    const hook = holdUp()
    const key = await s.gateway.caller()
    const socket = await openSocket(s.gateway, { key })
    socket.send({ type: 'response.create', model: OVER_RESPONSES, input: 'Why?' })
    await hook.reached
    socket.raw.terminate()
    await s.gateway.log.waitForLine(({ message }) => message === 'a WebSocket was closed')
    hook.goOn()
    await s.gateway.rest()
    expect(s.upstream.requests).toHaveLength(seen)
    await expectSettledOnce(s, key, UNSENT)
    await expectNoFailure(errors)
  })
})

describe('a disconnect while the provider is silent: no failed request either', () => {
  test.each([...TEXTS, ...Object.entries(IMAGES)])('%s', async (_name, request) => {
    const errors = await errorAnswers(s)
    s.upstream.answer(SILENCE)
    const seen = s.upstream.requests.length
    const { key, client } = await sendRaw(s.gateway, await wireOf(request))
    await s.upstream.waitForRequest(seen + 1)
    client.leave('reset')
    await s.upstream.last().over
    await expectSettledOnce(s, key, { outcome: 'cancelled', status: 499 })
    await expectNoFailure(errors)
  })

  test('a free request, which has no record: one log line says so', async () => {
    const errors = await errorAnswers(s)
    s.upstream.answer(SILENCE)
    const seen = s.upstream.requests.length
    const { path, headers, body } = REQUESTS.messages(OVER_MESSAGES, false)
    const count = {
      path: `${path}/count_tokens`,
      headers,
      body: { model: body.model, messages: body.messages },
    }
    const { client } = await sendRaw(s.gateway, await wireOf(count))
    await s.upstream.waitForRequest(seen + 1)
    client.leave('reset')
    const line = await s.gateway.log.waitForLine(({ message }) => DISCONNECTED.test(message))
    expect(line).toMatchObject({ level: 'info', status: 499 })
    await expectNoFailure(errors)
  })
})
