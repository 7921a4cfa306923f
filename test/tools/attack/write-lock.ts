// A foreign process that holds the database's write lock while streams end: no other request waits, and every delivered answer is charged.
import { join } from 'node:path'
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath, usage, wholePath } from '../../support/native.ts'
import { startUpstream, stream } from '../../support/upstream.ts'
import { takeWriteLock } from '../../support/write-lock.ts'
import type { Attack, Result } from './attack.ts'
import { watchHealth } from './health.ts'

const STREAMS = 10
const LOCKED_MS = 14_000
/** The time after which the ledger no longer waits for the lock. */
const REFUSING_AFTER_MS = 7_000
const MAX_HEALTHZ_MS = 100
const MAX_RECOVERY_MS = 1_500

export const writeLock: Attack = {
  name: 'write-lock',
  description: `another process that holds the write lock for ${LOCKED_MS / 1_000} s`,
  async run() {
    return { tried: `${STREAMS} streams`, ...(await attack()) }
  },
}

async function attack(): Promise<Pick<Result, 'held' | 'figures'>> {
  const end = Promise.withResolvers<void>()
  await using upstream = await startUpstream(
    stream(
      { event: piece('Once', { usageMetadata: usage(10, 1) }) },
      { wait: end.promise },
      { event: answer() },
    ),
  )
  await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: upstream.url }))
  const answers = await Promise.all(Array.from({ length: STREAMS }, () => call(gateway, streamPath())))
  const readers = answers.map(({ body }) => body?.getReader())
  for (const reader of readers) await reader?.read()

  const unlock = await takeWriteLock(join(gateway.data_folder, 'tollgate.db'))
  const health = watchHealth(gateway.url)
  end.resolve()
  // These calls begin with writes other than the ledger's.
  const keyed = call(gateway, wholePath(), { 'idempotency-key': 'while-locked' })
  await Bun.sleep(REFUSING_AFTER_MS)
  const refused = await call(gateway, wholePath())
  const not_ready = await fetch(new URL('/readyz', gateway.url))
  await Bun.sleep(LOCKED_MS - REFUSING_AFTER_MS)
  const healthz_ms = await health.stop()
  await unlock()

  const unlocked_ms = performance.now()
  await eventually('ready', async () => (await fetch(new URL('/readyz', gateway.url))).ok)
  const recovery_ms = performance.now() - unlocked_ms
  const paid = () => gateway.books().calls.filter(({ cost_nanos }) => cost_nanos === ANSWER_NANOS).length
  await eventually('all is paid', () => paid() >= STREAMS).catch(() => {
    // Unpaid calls are the attack's subject, and counted below.
  })
  const replies = [(await keyed).status, refused.status, refused.headers.get('retry-after'), not_ready.status]
  const findings = await gateway.findings()
  return {
    held:
      paid() === STREAMS &&
      healthz_ms < MAX_HEALTHZ_MS &&
      recovery_ms < MAX_RECOVERY_MS &&
      replies.join() === '503,503,1,503' &&
      findings.length === 0,
    figures: `${paid()} of ${STREAMS} paid, healthz at most ${healthz_ms.toFixed(0)} ms, new calls ${replies[0]} and ${replies[1]}, readyz ${replies[3]}, ready again after ${recovery_ms.toFixed(0)} ms`,
  }
}

const call = (
  { url, key }: GatewayProcess,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ask(`For ${MODEL}.`)),
  })
