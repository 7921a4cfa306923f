// The attack of a caller who is refused without end: the gateway's maximum rate of requests, and their rows on the disk.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_RECORDED_AN_HOUR } from '../../../plugins/refusals/recorder.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { eventually } from '../../support/eventually.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { cpuMs } from '../bench/processes.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const CONNECTIONS = 32
const FLOOD_MS = 15_000
/** Rows, sums, and the write-ahead log up to its checkpoint. */
const MAX_GROWTH_MB = 20
const MARK = 'HTTP/1.1 '

export const refusalFlood: Attack = {
  name: 'refusal-flood',
  description: `a caller without balance sends refused requests for ${FLOOD_MS / 1_000} s`,
  async run() {
    const catalogue = catalogueOf({ upstream_url: 'simulator' }).replace('"debug"', '"error"')
    await using gateway = await startGatewayProcess(catalogue, { balance_usd: '0.000000001' })
    const before_bytes = bytesOf(gateway.data_folder)
    const health = watchHealth(gateway.url)
    const cpu_ms = cpuMs(gateway.pid)
    const { answered, refused } = await flood(gateway.url, gateway.key)
    const used_ms = cpuMs(gateway.pid) - cpu_ms
    const longest_ms = await health.stop()
    using db = openDatabase(join(gateway.data_folder, 'tollgate.db'), { readonly: true })
    const counted = () =>
      db
        .query<{ refusals: number | null }, []>(
          'SELECT sum(refusals) AS refusals FROM refusal_sums WHERE span_s = 3600',
        )
        .get()?.refusals ?? 0
    await eventually('all are counted', () => counted() >= refused)
    const { rows } = db.query<{ rows: number }, []>('SELECT count(*) AS rows FROM refusals').get() ?? {
      rows: 0,
    }
    const growth_mb = (bytesOf(gateway.data_folder) - before_bytes) / 1e6
    const held =
      refused > 0 &&
      refused === answered &&
      counted() === refused &&
      rows <= 2 * MAX_RECORDED_AN_HOUR &&
      growth_mb < MAX_GROWTH_MB
    return {
      tried: `${refused.toLocaleString('en')} refusals, ${Math.round(refused / (FLOOD_MS / 1_000)).toLocaleString('en')} a second`,
      held,
      figures: `${rows} rows, ${counted().toLocaleString('en')} counted, ${growth_mb.toFixed(1)} MB more on the disk; ${Math.round((used_ms / refused) * 1_000)} µs of processor time each; healthz at most ${Math.round(longest_ms)} ms`,
    }
  },
}

const bytesOf = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => name.startsWith('tollgate.db'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

/** Floods over raw sockets: a sender that creates a `Request` each time is slower than the gateway. */
async function flood(url: URL, key: string): Promise<{ answered: number; refused: number }> {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] })
  const request = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const bytes = Buffer.from(request)
  const ends_ms = performance.now() + FLOOD_MS
  let answered = 0
  let refused = 0
  const one = async (): Promise<void> => {
    const over = Promise.withResolvers<void>()
    await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        open: (socket) => void socket.write(bytes),
        /** An answer is short enough to arrive in one piece. */
        data(socket, answer) {
          if (!answer.toString('latin1', 0, MARK.length).startsWith(MARK)) return
          answered += 1
          if (answer.toString('latin1', MARK.length, MARK.length + 3) === '402') refused += 1
          if (performance.now() < ends_ms) socket.write(bytes)
          else socket.end()
        },
        error: (_, thrown) => over.reject(thrown),
        close: () => over.resolve(),
      },
    })
    await over.promise
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  return { answered, refused }
}
