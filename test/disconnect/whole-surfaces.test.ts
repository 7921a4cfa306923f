// silent.md, Streams whose caller left, for whole answers of every surface, and for images, which are whole however they are sent:
// "Images cost nothing unless delivered"; all else costs its input at least.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Call } from '../../src/store/schema.ts'
import { MODEL, PICTURE } from '../support/catalogue.ts'
import { sample } from '../support/long.ts'
import { type Answer, RESET, refusal, type Step, splitAt, whole } from '../support/upstream.ts'
import {
  type DisconnectScene,
  disconnectScene,
  expectNothingSent,
  expectSettledOnce,
  FREE,
  sendRaw,
} from './support.ts'
import {
  OVER_CHAT,
  OVER_IMAGES,
  OVER_MESSAGES,
  OVER_RESPONSES,
  PNG,
  REQUESTS,
  type SurfaceRequest,
  surfaceModels,
  wireOf,
} from './surfaces.ts'

setDefaultTimeout(60_000)

const options = { more: surfaceModels, provider: 'cooldown_ms = 0' }
const cancelling = await disconnectScene(options)
const draining = await disconnectScene({ ...options, server: 'on_disconnect = "drain"' })
afterAll(() => Promise.all([cancelling, draining].map((opened) => opened[Symbol.asyncDispose]())))

interface WholeSurface {
  request: SurfaceRequest
  /** The provider's answer. */
  answer: object
  /** The charge under `cancel`, if the caller disconnects before the answer is there. */
  left: Partial<Call>
  /** The charge for the answer. */
  paid: Partial<Call>
}

const TEXT = 'Once upon a time, the end.'
const text = (answer: object) => ({
  answer,
  left: { cost_nanos: 4 * 1_000, input_tokens: 4, output_tokens: 0, estimated: 1 },
  paid: { cost_nanos: 10 * 1_000 + 9 * 4_000, input_tokens: 10, output_tokens: 9, estimated: 0 },
})
const CHAT = text({
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 9, total_tokens: 19 },
})
const MESSAGE = text({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: TEXT }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 9 },
})
const RESPONSE = text({
  id: 'resp_theirs',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT }] }],
  usage: { input_tokens: 10, output_tokens: 9, total_tokens: 19 },
})
const NATIVE = text({
  candidates: [{ content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9 },
})

const image = (answer: object, cost_nanos: number) => ({
  answer,
  left: FREE,
  paid: { cost_nanos, images: 1, estimated: 0 },
})
const base64 = PNG.toString('base64')
const PAINTED = image(
  {
    candidates: [
      {
        content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: base64 } }] },
        finishReason: 'STOP',
      },
    ],
  },
  40_000_000,
)
const SENT = image({ created: 1, data: [{ b64_json: base64 }] }, 50_000_000)

const SURFACES: Readonly<Record<string, WholeSurface>> = {
  'responses, passed through': { request: REQUESTS.responses(OVER_RESPONSES, false), ...RESPONSE },
  'responses over chat': { request: REQUESTS.responses(OVER_CHAT, false), ...CHAT },
  'responses over messages': { request: REQUESTS.responses(OVER_MESSAGES, false), ...MESSAGE },
  'responses over native': { request: REQUESTS.responses(MODEL, false), ...NATIVE },
  'completions over chat': { request: REQUESTS.completions(OVER_CHAT, false), ...CHAT },
  'chat, passed through': { request: REQUESTS.chat(OVER_CHAT, false), ...CHAT },
  'messages, passed through': { request: REQUESTS.messages(OVER_MESSAGES, false), ...MESSAGE },
  transcription: {
    request: REQUESTS.transcription('ear-by-token', false),
    answer: {
      text: TEXT,
      usage: {
        type: 'tokens',
        input_tokens: 14,
        input_token_details: { text_tokens: 0, audio_tokens: 14 },
        output_tokens: 9,
      },
    },
    left: { cost_nanos: 25 * 6_000, estimated: 1 },
    paid: { cost_nanos: 14 * 6_000 + 9 * 10_000, estimated: 0 },
  },
  moderation: {
    request: REQUESTS.moderation('judge-paid'),
    answer: { results: [{ flagged: false }], usage: { prompt_tokens: 10, total_tokens: 10 } },
    left: { cost_nanos: 4 * 100, estimated: 1 },
    paid: { cost_nanos: 10 * 100, estimated: 0 },
  },
  rerank: {
    request: REQUESTS.rerank('sorter'),
    answer: { results: [{ index: 0, relevance_score: 0.5 }], meta: { billed_units: { search_units: 2 } } },
    left: { cost_nanos: 2_000_000, estimated: 1 },
    paid: { cost_nanos: 4_000_000, estimated: 0 },
  },
  'image generations': { request: REQUESTS.generations(PICTURE, false), ...PAINTED },
  'image generations as events': { request: REQUESTS.generations(OVER_IMAGES, true), ...SENT },
  'image edits': { request: REQUESTS.edits(OVER_IMAGES, false), ...SENT },
  'image edits as events': { request: REQUESTS.edits(PICTURE, true), ...PAINTED },
  'an image by generateContent': { request: REQUESTS.native(PICTURE, false), ...PAINTED },
  'an image by streamGenerateContent': { request: REQUESTS.native(PICTURE, true), ...PAINTED },
  'an image by chat': { request: REQUESTS.chat(PICTURE, false), ...PAINTED },
  'an image by streamed chat': { request: REQUESTS.chat(OVER_IMAGES, true), ...SENT },
}

/** How much of an answer has come: its bytes, or not even its head. */
const POINTS: Readonly<Record<string, ((bytes: number) => number) | undefined>> = {
  'before the answer’s head': undefined,
  'after its head': () => 0,
  'in its middle': (bytes) => bytes >> 1,
  'before its last byte': (bytes) => bytes - 1,
}
const points = Object.entries(POINTS)

/** The answer's steps until a point, and after it. The gateway has read each packet before the next is sent. */
function stepsAround(answer: object, at: (bytes: number) => number): { until: Step[]; after: Step[] } {
  const bytes = Buffer.from(JSON.stringify(answer))
  const [before, rest] = splitAt(bytes, at(bytes.length)) as [Step, Step]
  return { until: at(bytes.length) > 0 ? ['read', before, 'read'] : ['read'], after: [rest] }
}

/** A caller disconnects at a point; the upstream goes on only after the gateway has noticed. */
async function leaveAt(
  s: DisconnectScene,
  { request, answer }: WholeSurface,
  at: ((bytes: number) => number) | undefined,
) {
  const arrived = Promise.withResolvers<void>()
  const noticed = Promise.withResolvers<void>()
  const headers = { 'content-type': 'application/json' }
  const { until, after } = stepsAround(answer, at ?? (() => 0))
  const steps: Step[] = [...until, { tell: arrived.resolve }, { wait: noticed.promise }, ...after]
  s.upstream.answer(async (): Promise<Answer> => {
    if (at) return { headers, steps }
    arrived.resolve()
    await noticed.promise
    return whole(answer)
  })
  const left = s.callers.left.count
  const { key, client } = await sendRaw(s.gateway, await wireOf(request))
  await arrived.promise
  const seen = s.upstream.last()
  client.leave('reset')
  await s.callers.left.reaches(left + 1)
  if (s === draining) noticed.resolve()
  await seen.over
  noticed.resolve()
  return { key, seen }
}

const BREAKS: Readonly<Record<string, Answer | ((answer: object) => Answer)>> = {
  'is reset': RESET,
  'is refused': refusal(500, { error: { message: 'shard 7 is broken' } }),
  'is reset in its middle': (answer) => ({
    steps: [...stepsAround(answer, (bytes) => bytes >> 1).until, 'reset'],
  }),
  'ends in its middle': (answer) => ({ steps: stepsAround(answer, (bytes) => bytes >> 1).until }),
  'is reset before its last byte': (answer) => ({
    steps: [...stepsAround(answer, (bytes) => bytes - 1).until, 'reset'],
  }),
  'is empty': { steps: [] },
  'is a page': {
    headers: { 'content-type': 'text/html' },
    steps: [{ send: '<html>shard 7 is broken</html>' }],
  },
}

const surfaces = Object.entries(SURFACES).map(([name, surface], at) => [name, surface, at] as const)

describe.each(surfaces)('%s', (_name, surface, row) => {
  const LEFT = { outcome: 'cancelled', status: 499, streamed: 0 } as const

  test('the caller disconnects before the request has come: no hold, no call, nothing is sent', async () =>
    expectNothingSent(cancelling, await wireOf(surface.request)))

  test.each(sample(points, row))(
    'the caller disconnects %s; cancel: the upstream is aborted',
    async (_when, at) => {
      const { key, seen } = await leaveAt(cancelling, surface, at)
      expect(seen.aborted).toBe(true)
      await expectSettledOnce(cancelling, key, { ...surface.left, ...LEFT })
    },
  )

  test.each(sample(points, row + 1))(
    'the caller disconnects %s; drain: the answer is awaited, and charged',
    async (_when, at) => {
      const { key, seen } = await leaveAt(draining, surface, at)
      expect(seen.aborted).toBe(false)
      // Images that are stored can be fetched: their call is complete.
      const outcome = 'images' in surface.paid ? { outcome: 'completed', status: 200 } : LEFT
      await expectSettledOnce(draining, key, { ...surface.paid, ...outcome } as Partial<Call>)
    },
  )

  test.each(sample(Object.entries(BREAKS), row))(
    'the answer %s: nothing is charged',
    async (_what, broken) => {
      cancelling.upstream.answer(typeof broken === 'function' ? broken(surface.answer) : broken)
      const { key, client } = await sendRaw(cancelling.gateway, await wireOf(surface.request))
      await client.closed
      expect(client.received()).toStartWith('HTTP/1.1 502 ')
      expect(client.received()).not.toContain('shard')
      await expectSettledOnce(cancelling, key, { ...FREE, outcome: 'failed', status: 502, streamed: 0 })
    },
  )
})
