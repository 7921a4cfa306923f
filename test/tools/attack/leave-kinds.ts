// Callers who disconnect from a stream as soon as they have its output, of every kind that providers of each protocol stream.
import {
  OVER_CHAT,
  OVER_MESSAGES,
  OVER_RESPONSES,
  REQUESTS,
  surfaceModels,
} from '../../disconnect/surfaces.ts'
import { DELIVERIES, type Wire } from '../../protocols/written/deliveries.ts'
import { MODEL } from '../../support/catalogue.ts'
import { type Scene, scene } from '../../support/scene.ts'
import { type Step, stream } from '../../support/upstream.ts'
import type { Attack, Result } from './attack.ts'

/** The number of items of each kind before the caller disconnects. */
const REPEATED = 20
const INPUT_NANOS = 4 * 1_000
const OUTPUT_NANOS = 4_000

const CALLS: Readonly<Record<Wire, { path: string; body: object; headers?: Record<string, string> }>> = {
  openai: REQUESTS.chat(OVER_CHAT, true),
  anthropic: {
    ...REQUESTS.messages(OVER_MESSAGES, true),
    body: { ...REQUESTS.messages(OVER_MESSAGES, true).body, max_tokens: 8_192 },
  },
  gemini: REQUESTS.native(MODEL, true),
  responses: REQUESTS.responses(OVER_RESPONSES, true),
}

/** Sends the events as many items, so that none of them repeats another. */
const numbered = (event: object, output_index: number): object =>
  'output_index' in event ? { ...event, output_index: Number(event.output_index) + 2 * output_index } : event

async function leave(s: Scene, wire: Wire, events: readonly object[]): Promise<void> {
  const arrived = Promise.withResolvers<void>()
  const all = Array.from({ length: REPEATED }, (_, index) => events.map((event) => numbered(event, index)))
  const steps = all.flat().map((event): Step => ({ event }))
  s.upstream.answer(stream('read', ...steps, 'read', { tell: arrived.resolve }, 'hang'))
  const { path, body, headers = {} } = CALLS[wire]
  const leaving = new AbortController()
  // The disconnect rejects the call.
  const called = s
    .call(path, body, { headers, signal: leaving.signal })
    .then((response) => response.text())
    .catch(() => undefined)
  await arrived.promise
  leaving.abort()
  await called
}

export const leaveKinds: Attack = {
  name: 'leave-kinds',
  description: 'callers who leave with output of every kind that is streamed',
  async run({ rounds }): Promise<Result> {
    await using s = await scene({ balance_usd: '100000', more: surfaceModels, provider: 'cooldown_ms = 0' })
    const expected: number[] = []
    for (let round = 0; round < rounds; round++)
      for (const [wire, deliveries] of Object.entries(DELIVERIES) as [Wire, (typeof DELIVERIES)[Wire]][])
        for (const { events, tokens } of deliveries) {
          await leave(s, wire, events)
          await s.gateway.rest()
          expected.push(INPUT_NANOS + Math.ceil(tokens * REPEATED) * OUTPUT_NANOS)
        }
    const { calls } = await s.gateway.atRest()
    const short = calls.filter(({ cost_nanos }, index) => cost_nanos < (expected[index] ?? Number.NaN))
    const due = expected.reduce((sum, nanos) => sum + nanos, 0)
    const paid = calls.reduce((sum, { cost_nanos }) => sum + cost_nanos, 0)
    return {
      tried: `${expected.length} streams of four protocols`,
      held: calls.length === expected.length && short.length === 0,
      figures: `${short.length} paid less than they received; ${(paid / 1e9).toFixed(3)} USD paid of ${(due / 1e9).toFixed(3)}`,
    }
  },
}
