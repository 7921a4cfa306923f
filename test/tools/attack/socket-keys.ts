// The attack of callers who keep a WebSocket open: revoked keys and suspended accounts that go on asking over it.
import { MODEL } from '../../support/catalogue.ts'
import { answer, usage } from '../../support/native.ts'
import { scene } from '../../support/scene.ts'
import { stream } from '../../support/upstream.ts'
import { openSocket } from '../../support/web-socket.ts'
import type { Attack } from './attack.ts'

const SOCKETS = 50
const ASKED_MS = 5_000
/** What the gate has read of a key is good for a second. */
const MAX_LATE_MS = 1_500

const ENDS = {
  'a key is revoked': 'UPDATE keys SET revoked_at_ms = 1',
  'an account is suspended': "UPDATE accounts SET status = 'suspended'",
} as const

/** @returns how long after the change the last call began, and how the sockets were answered at last */
async function askOn(change: string) {
  await using s = await scene({ script: stream({ event: answer('Hello.', usage(10, 5)) }) })
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => openSocket(s.gateway, s)))
  let ended_ms = Number.POSITIVE_INFINITY
  let late_ms = 0
  let completed = 0
  const until_ms = performance.now() + ASKED_MS
  const ask = async (socket: (typeof sockets)[number]): Promise<unknown> => {
    let status: unknown
    while (performance.now() < until_ms) {
      const asked_ms = performance.now()
      const last = (await socket.create({ model: MODEL, input: 'Why?' })).at(-1)
      status = last?.status
      if (last?.type !== 'response.completed') {
        // Refusals come at once: without a pause the sockets would take the whole processor.
        await Bun.sleep(10)
        continue
      }
      completed++
      late_ms = Math.max(late_ms, asked_ms - ended_ms)
    }
    return status
  }
  const asking = Promise.all(sockets.map(ask))
  // All are well into their calls when the change comes.
  await Bun.sleep(ASKED_MS / 5)
  s.gateway.db.query(change).run()
  ended_ms = performance.now()
  const statuses = new Set(await asking)
  for (const { raw } of sockets) raw.close()
  const { calls } = await s.gateway.atRest()
  return { late_ms: Math.round(late_ms), statuses: [...statuses], completed, charged: calls.length }
}

export const socketKeys: Attack = {
  name: 'socket-keys',
  what: `a key is revoked, or an account suspended, while ${SOCKETS} WebSockets go on asking`,
  async run() {
    const seen: string[] = []
    let held = true
    for (const [what, change] of Object.entries(ENDS)) {
      const { late_ms, statuses, completed, charged } = await askOn(change)
      held &&=
        late_ms < MAX_LATE_MS &&
        completed === charged &&
        statuses.every((each) => each === 401 || each === 403)
      seen.push(
        `${what}: ${completed} answered, ${charged} charged, the last ${late_ms} ms after; then ${statuses}`,
      )
    }
    return { tried: `${2 * SOCKETS} sockets, ${ASKED_MS / 1_000} s each`, held, seen: seen.join('; ') }
  },
}
