// silent.md, Streams whose caller left: the caller pays for every kind of output that came, after a disconnect and after a break.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { DELIVERIES, type Delivery, type Wire } from '../protocols/written/deliveries.ts'
import { MODEL } from '../support/catalogue.ts'
import { sample } from '../support/long.ts'
import { type Step, stream } from '../support/upstream.ts'
import { disconnectScene, expectSettledOnce, sendRaw } from './support.ts'
import {
  OVER_CHAT,
  OVER_MESSAGES,
  OVER_RESPONSES,
  REQUESTS,
  type SurfaceRequest,
  surfaceModels,
  wireOf,
} from './surfaces.ts'

setDefaultTimeout(60_000)

const s = await disconnectScene({ more: surfaceModels, provider: 'cooldown_ms = 0' })
afterAll(() => s[Symbol.asyncDispose]())

const PROMPT_TOKENS = 4
const INPUT_NANOS = 1_000
const OUTPUT_NANOS = 4_000

/** A provider's protocol, and the surface by which a caller reads it: in that protocol, and translated. */
const READ: readonly (readonly [how: string, Wire, SurfaceRequest])[] = [
  ['chat', 'openai', REQUESTS.chat(OVER_CHAT, true)],
  ['messages', 'anthropic', REQUESTS.messages(OVER_MESSAGES, true)],
  ['native', 'gemini', REQUESTS.native(MODEL, true)],
  ['responses', 'responses', REQUESTS.responses(OVER_RESPONSES, true)],
  ['chat, translated to messages,', 'openai', REQUESTS.messages(OVER_CHAT, true)],
  ['messages, translated to chat,', 'anthropic', REQUESTS.chat(OVER_MESSAGES, true)],
  ['native, translated to chat,', 'gemini', REQUESTS.chat(MODEL, true)],
]

const priced = (tokens: number) => ({
  input_tokens: PROMPT_TOKENS,
  output_tokens: Math.ceil(tokens),
  cost_nanos: PROMPT_TOKENS * INPUT_NANOS + Math.ceil(tokens) * OUTPUT_NANOS,
  estimated: 1,
})

/** The events of a delivery, read by the gateway one by one. */
const stepsOf = ({ events }: Delivery): Step[] => [
  'read',
  ...events.flatMap((event): Step[] => [{ event }, 'read']),
]

async function leave(request: SurfaceRequest, delivery: Delivery): Promise<string> {
  const arrived = Promise.withResolvers<void>()
  s.upstream.answer(stream(...stepsOf(delivery), { tell: arrived.resolve }, 'hang'))
  const left = s.callers.left.count
  const { key, client } = await sendRaw(s.gateway, await wireOf(request))
  await arrived.promise
  client.leave('close')
  await s.callers.left.reaches(left + 1)
  return key
}

async function breakOff(request: SurfaceRequest, delivery: Delivery): Promise<string> {
  s.upstream.answer(stream(...stepsOf(delivery), 'reset'))
  const { key, client } = await sendRaw(s.gateway, await wireOf(request))
  await client.closed
  client.leave('close')
  return key
}

/** Messages have no place for images: the translation ends there. */
const UNTRANSLATABLE: Readonly<Record<string, string>> = { 'chat, translated to messages,': 'images' }

const ways = READ.map(([how, wire, request], row) => {
  const deliveries = DELIVERIES[wire]
    .filter(({ kind }) => kind !== UNTRANSLATABLE[how])
    .map((delivery) => [delivery.kind, delivery] as const)
  return { how, request, deliveries, row, translates: how.includes('translated') }
})

describe.each(ways.map((way) => [way.how, way] as const))('%s', (_how, way) => {
  const { request, deliveries, row, translates } = way

  // Every kind for each protocol; some for the translations, whose output the provider's protocol counts.
  test.each(translates ? sample(deliveries, row) : deliveries)(
    'a caller who disconnects pays for %s',
    async (_kind, delivery) => {
      const key = await leave(request, delivery)
      await expectSettledOnce(s, key, { ...priced(delivery.tokens), outcome: 'cancelled', status: 499 })
    },
  )

  test.each(sample(deliveries, row))(
    'the caller pays for %s where the provider breaks the stream',
    async (_kind, delivery) => {
      const key = await breakOff(request, delivery)
      await expectSettledOnce(s, key, { ...priced(delivery.tokens), outcome: 'broken', status: 200 })
    },
  )
})

test('an estimate is no more than the model and the request allow, for an abandoned stream, too', async () => {
  const [words] = DELIVERIES.openai
  if (!words) throw new Error('there is a first kind')
  const request = REQUESTS.chat(OVER_CHAT, true)
  const limited = { ...request, body: { ...request.body, max_tokens: 3 } }
  const key = await leave(limited, words)
  await expectSettledOnce(s, key, { ...priced(3), outcome: 'cancelled', status: 499 })
  expect(words.tokens).toBeGreaterThan(3)
})
