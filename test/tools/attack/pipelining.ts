// The attack of strangers who send thousands of requests in one write of a connection.
import { loadavg } from 'node:os'
import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { connectSocket } from '../../support/socket-client.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const REQUESTS = 20_000
const CONNECTIONS = 20
const CALM_MS = 2_000
const MAX_HEALTH_MS = 50
/** The limit of one connection; further requests are dropped with it. */
const MAX_ANSWERS = 81
const PATHS = ['/v1/models', '/nope', '/healthz']

export const pipelining: Attack = {
  name: 'pipelining',
  description: `strangers send ${REQUESTS.toLocaleString('en')} requests in one write of a connection`,
  async run() {
    await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: 'simulator' }))
    const write = async (path: string): Promise<number> => {
      const client = await connectSocket(gateway.url)
      client.send(`GET ${path} HTTP/1.1\r\nhost: gateway.test\r\n\r\n`.repeat(REQUESTS))
      await client.closed
      return client.received().split('HTTP/1.1 ').length - 1
    }
    // A warm-up: code is compiled at its first use.
    for (const path of PATHS) await write(path)
    const calm = watchHealth(gateway.url)
    await Bun.sleep(CALM_MS)
    const calm_ms = await calm.stop()
    const attacked = watchHealth(gateway.url)
    let most_answers = 0
    for (const path of PATHS)
      for (let connection = 0; connection < CONNECTIONS; connection++)
        most_answers = Math.max(most_answers, await write(path))
    const attacked_ms = await attacked.stop()
    return {
      tried: `${PATHS.length * CONNECTIONS} connections`,
      held: attacked_ms <= Math.max(MAX_HEALTH_MS, calm_ms) && most_answers <= MAX_ANSWERS,
      figures: `at most ${most_answers} answers a connection; healthz at most ${Math.round(attacked_ms)} ms (calm: ${Math.round(calm_ms)}), load average ${loadavg()[0]?.toFixed(0)}`,
    }
  },
}
