// Callers who disconnect from whole answers and streams at random moments, to get the provider's work for free.
import { randomFrom } from '../../money/ledger/random.ts'
import { ask, piece, streamPath, usage, wholePath } from '../../support/native.ts'
import { scene } from '../../support/scene.ts'
import { type Script, type Step, stream, whole } from '../../support/upstream.ts'
import type { Attack, Result } from './attack.ts'

const CALLS = 200
const AT_ONCE = 20
/** The provider's time for an answer; callers disconnect within it. */
const ANSWER_MS = 200
const EVENTS = 10
const PROMPT_TOKENS = 1_000
/** Four characters a token, each token at 1,000 nano-dollars. */
const PROMPT = 'x'.repeat(4 * PROMPT_TOKENS)
const INPUT_NANOS = PROMPT_TOKENS * 1_000

const ANSWER = piece('word '.repeat(EVENTS), { usageMetadata: usage(PROMPT_TOKENS, 20) })
const LAST = { candidates: [{ finishReason: 'STOP', index: 0 }], usageMetadata: usage(PROMPT_TOKENS, 20) }

/** Slow whole answers, and streams that begin after half of the time; usage comes at the end, as from most providers. */
const answerSlowly: Script = async ({ path }) => {
  if (!path.includes(':stream')) {
    await Bun.sleep(ANSWER_MS)
    return whole(ANSWER)
  }
  await Bun.sleep(ANSWER_MS / 2)
  const pause = (): Step => ({
    get wait() {
      return Bun.sleep(ANSWER_MS / 2 / EVENTS)
    },
  })
  return stream(
    ...Array.from({ length: EVENTS }, () => [{ event: piece('word ') }, pause()] as const).flat(),
    { event: LAST },
  )
}

async function leaveAll(on_disconnect: 'cancel' | 'drain', calls: number, seed: number) {
  await using s = await scene({ server: `on_disconnect = "${on_disconnect}"`, script: answerSlowly })
  const random = randomFrom(seed)
  const moments = Array.from({ length: calls }, (_, index) => ({
    path: index % 2 === 0 ? wholePath() : streamPath(),
    after_ms: random.below(ANSWER_MS + 20),
  }))
  const attack = async () => {
    for (let next = moments.pop(); next; next = moments.pop()) {
      const { path, after_ms } = next
      const signal = AbortSignal.timeout(after_ms)
      // The disconnect rejects the call.
      await s
        .call(path, ask(PROMPT), { signal })
        .then((response) => response.text())
        .catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, attack))
  const { calls: records } = await s.gateway.atRest()
  const left = records.filter(({ outcome }) => outcome === 'cancelled')
  return {
    reached: s.upstream.requests.length,
    left: left.length,
    paid: records.filter(({ cost_nanos }) => cost_nanos >= INPUT_NANOS).length,
  }
}

export const leaveEarly: Attack = {
  name: 'leave-early',
  description: 'callers who leave answers at random moments',
  async run({ rounds }): Promise<Result> {
    const calls = CALLS * rounds
    const cancel = await leaveAll('cancel', calls, 1)
    const drain = await leaveAll('drain', calls, 2)
    const reached = cancel.reached + drain.reached
    const paid = cancel.paid + drain.paid
    return {
      tried: `${2 * calls} calls, ${cancel.left + drain.left} of them left within ${ANSWER_MS} ms`,
      held: paid >= reached,
      figures: `${reached} reached the provider, ${Math.max(0, reached - paid)} of them for less than their input; nothing held`,
    }
  },
}
