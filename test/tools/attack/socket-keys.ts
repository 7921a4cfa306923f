// The attack of callers who keep a WebSocket open: revoked keys and suspended accounts that send further requests over it.
import { MODEL } from '../../support/catalogue.ts'
import { answer, usage } from '../../support/native.ts'
import { scene } from '../../support/scene.ts'
import { stream } from '../../support/upstream.ts'
import { openSocket } from '../../support/web-socket.ts'
import type { Attack } from './attack.ts'

const SOCKETS = 50
const DURATION_MS = 5_000
/** The gate caches a key for a second. */
const MAX_LATE_MS = 1_500
/** The gateway closes a socket after 100 refusals in a row. */
const MAX_REFUSALS = 50

const ENDS = {
  'a key is revoked': 'UPDATE keys SET revoked_at_ms = 1',
  'an account is suspended': "UPDATE accounts SET status = 'suspended'",
} as const

/** @returns the time from the change to the last accepted call, and the last statuses of the sockets */
async function sendDuring(change: string) {
  await using s = await scene({ script: stream({ event: answer('Hello.', usage(10, 5)) }) })
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => openSocket(s.gateway, s)))
  let ended_ms = Number.POSITIVE_INFINITY
  let late_ms = 0
  let completed = 0
  const until_ms = performance.now() + DURATION_MS
  const ask = async (socket: (typeof sockets)[number]): Promise<unknown> => {
    let status: unknown
    let refusals = 0
    while (performance.now() < until_ms) {
      const sent_ms = performance.now()
      const last = (await socket.create({ model: MODEL, input: 'Why?' })).at(-1)
      status = last?.status
      if (last?.type !== 'response.completed') {
        if (++refusals === MAX_REFUSALS) break
        // Refusals come at once: without a pause the sockets would use all the CPU.
        await Bun.sleep(10)
        continue
      }
      completed++
      refusals = 0
      late_ms = Math.max(late_ms, sent_ms - ended_ms)
    }
    return status
  }
  const all_statuses = Promise.all(sockets.map(ask))
  // The change comes while all sockets make calls.
  await Bun.sleep(DURATION_MS / 5)
  s.gateway.db.query(change).run()
  ended_ms = performance.now()
  const statuses = new Set(await all_statuses)
  for (const { raw } of sockets) raw.close()
  const { calls } = await s.gateway.atRest()
  return { late_ms: Math.round(late_ms), statuses: [...statuses], completed, charged: calls.length }
}

export const socketKeys: Attack = {
  name: 'socket-keys',
  description: `a key is revoked, or an account suspended, while ${SOCKETS} WebSockets send requests`,
  async run() {
    const figures: string[] = []
    let held = true
    for (const [title, change] of Object.entries(ENDS)) {
      const { late_ms, statuses, completed, charged } = await sendDuring(change)
      held &&=
        late_ms < MAX_LATE_MS &&
        completed === charged &&
        statuses.every((each) => each === 401 || each === 403)
      figures.push(
        `${title}: ${completed} answered, ${charged} charged, the last ${late_ms} ms after; then ${statuses}`,
      )
    }
    return {
      tried: `${2 * SOCKETS} sockets, ${DURATION_MS / 1_000} s each`,
      held,
      figures: figures.join('; '),
    }
  },
}
