// Fuzz of every surface before providers of every protocol with distorted answers: each call gets an answer, never a 500, without the
// provider's address or secrets; no holds remain, and failed calls are free.
//
// TOLLGATE_SEED=<the printed seed> repeats a run; TOLLGATE_FUZZ_REQUESTS=100000 makes a long one.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  REQUESTS as ASK,
  OVER_CHAT,
  OVER_IMAGES,
  OVER_MESSAGES,
  OVER_RESPONSES,
  type SurfaceRequest,
  surfaceModels,
  wireOf,
} from '../disconnect/surfaces.ts'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import { MODEL, PICTURE, PROVIDER_KEYS } from '../support/catalogue.ts'
import { fileScene } from '../support/scene.ts'
import { SEED } from '../support/seed.ts'
import { connectSocket } from '../support/socket-client.ts'
import { distortedStream, distortedWhole, type Wire } from './distorted-answers.ts'

setDefaultTimeout(600_000)

const REQUESTS = Number(process.env.TOLLGATE_FUZZ_REQUESTS ?? 250)
const DEADLINE_MS = 30_000
/** A provider's text about itself, which callers must not see. */
const SECRET = 'shard 7 at 10.0.0.7'

const { gateway, upstream, key } = await fileScene({ more: surfaceModels, provider: 'cooldown_ms = 0' })

const TEXT: readonly (readonly [model: string, wire: Wire])[] = [
  [MODEL, 'gemini'],
  [OVER_CHAT, 'openai'],
  [OVER_MESSAGES, 'anthropic'],
  [OVER_RESPONSES, 'responses'],
]
type Case = readonly [request: SurfaceRequest, wire: Wire, streams: boolean]
const CASES: readonly Case[] = [
  ...[true, false].flatMap((streams) => [
    ...TEXT.flatMap(([model, wire]) =>
      [ASK.native, ASK.messages, ASK.chat, ASK.completions, ASK.responses].map(
        (ask) =>
          [
            ask(model, streams),
            wire === 'responses' && ask !== ASK.responses ? 'openai' : wire,
            streams,
          ] as const,
      ),
    ),
    [ASK.transcription('ear-by-token', streams), 'transcript', streams] as const,
    [ASK.speech('voice-by-token', streams ? { stream_format: 'sse' } : {}), 'speech', streams] as const,
  ]),
  [ASK.rerank('sorter'), 'units', false],
  [ASK.moderation('judge-paid'), 'units', false],
  [ASK.chat(PICTURE, true), 'gemini', false],
  [ASK.generations(OVER_IMAGES, false), 'openai', false],
]

/** Makes one call, and fails if its answer is wrong. */
async function fuzz(random: Random): Promise<void> {
  const [request, wire, streams] = CASES[random.below(CASES.length)] ?? (CASES[0] as Case)
  const answer = (streams ? distortedStream : distortedWhole)(wire, random, SECRET)
  upstream.answer(answer)
  const client = await connectSocket(gateway.url)
  client.send((await wireOf(request))(key))
  const is_answered = await Promise.race([
    client.closed.then(() => true),
    Bun.sleep(DEADLINE_MS).then(() => false),
  ])
  client.leave('close')
  const received = client.received()
  const hidden = [...PROVIDER_KEYS, new URL(upstream.url).host, SECRET].filter((text) =>
    received.includes(text),
  )
  const is_fine = is_answered && /^HTTP\/1\.1 (?!500)[2-5]\d\d /.test(received) && hidden.length === 0
  if (is_fine) return
  const script = answer.steps.map((step) =>
    typeof step === 'object' && 'send' in step ? String(step.send) : step,
  )
  expect({ seed: SEED, path: request.path, wire, hidden, script, received }).toBeUndefined()
}

test(`${REQUESTS} calls of all surfaces survive distorted answers, seed ${SEED}`, async () => {
  const random = randomFrom(SEED)
  for (let sent = 0; sent < REQUESTS; sent++) await fuzz(random)
  const { calls } = await gateway.atRest()
  expect(calls.filter(({ outcome, cost_nanos }) => outcome === 'failed' && cost_nanos > 0)).toEqual([])
  expect(gateway.log.lines().filter(({ level }) => level === 'error')).toEqual([])
  // It proves little where nothing gets through.
  expect(calls.filter(({ outcome }) => outcome === 'completed').length).toBeGreaterThan(REQUESTS / 10)
  expect(calls.filter(({ outcome }) => outcome === 'broken').length).toBeGreaterThan(REQUESTS / 100)
})
