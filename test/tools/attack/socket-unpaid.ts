// The attack of unpaid messages over WebSockets: small and large ones, from an account over its limit.
import { join } from 'node:path'
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { openSocket } from '../../support/web-socket.ts'
import type { Attack, Result } from './attack.ts'
import { startQuickUpstream, textOf, type Watched, watchDuring } from './bystander.ts'

const SOCKETS = 20
const CALM_MS = 8_000
const FLOOD_MS = 12_000
const MAX_HEALTH_MS = 50
const MAX_TIMES_CALM = 2
/** The first call of the process, and the call that the limit allows. */
const CALLS_BESIDE = 2

async function attackWith(kind: 'small' | 'large'): Promise<Result> {
  using upstream = startQuickUpstream()
  // An account without money could open no WebSocket.
  const server = '[limits.accounts.account-1]\nrequests_per_minute = 1'
  const catalogue = catalogueOf({ upstream_url: upstream.url, server })
  await using gateway = await startGatewayProcess(catalogue, { accounts: 2 })
  const [key = '', other = ''] = gateway.keys
  await serveFirst(gateway, other)
  const calm = await watchDuring(gateway, other, Bun.sleep(CALM_MS))
  const flood = sendFlood(gateway, key, kind)
  const attacked = await watchDuring(gateway, other, flood)
  const { connected, refused, written_mb } = await flood
  const { calls } = gateway.books()
  return {
    tried: `${SOCKETS} sockets for ${FLOOD_MS / 1_000} s`,
    held: isServed(kind, calm, attacked) && calls.length <= calm.calls + attacked.calls + CALLS_BESIDE,
    figures: `calm: ${textOf(calm)}; attacked: ${textOf(attacked)}; ${written_mb} MB sent over ${connected} connections, ${refused} refused`,
  }
}

/** The first response of a process takes 30 ms longer, since its checks are compiled then. */
async function serveFirst(gateway: GatewayProcess, key: string): Promise<void> {
  const socket = await openSocket(gateway, { key })
  const end = (await socket.create({ model: MODEL, input: 'x' })).at(-1)
  if (end?.type !== 'response.completed') throw new Error(`the first response was ${JSON.stringify(end)}`)
  socket.raw.close()
  await socket.closed
}

/** Whether others are served as before. The runtime takes some 30 ms to convert a message of 15 MB to text before the gateway sees it: one call of a hundred waits for that. */
const isServed = (kind: 'small' | 'large', calm: Watched, attacked: Watched): boolean =>
  kind === 'small'
    ? attacked.health_max_ms < Math.max(MAX_HEALTH_MS, calm.health_max_ms) &&
      attacked.call_p99_ms < MAX_TIMES_CALM * calm.call_p99_ms
    : attacked.health_p99_ms < Math.max(MAX_HEALTH_MS, calm.health_p99_ms) &&
      attacked.call_p50_ms < MAX_TIMES_CALM * calm.call_p50_ms

interface Sent {
  connected: number
  refused: number
  written_mb: number
}

async function sendFlood(gateway: GatewayProcess, key: string, kind: string): Promise<Sent> {
  const program = join(import.meta.dir, 'socket-flood.ts')
  const options = [kind, SOCKETS, FLOOD_MS].map(String)
  const child = Bun.spawn([process.execPath, program, gateway.url.href, key, ...options], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  return (await new Response(child.stdout).json()) as Sent
}

export const socketUnpaid: Attack = {
  name: 'socket-unpaid',
  description: `${SOCKETS} WebSockets of an account over its limit send small creates endlessly, and ones of 15 MB`,
  async run() {
    const [small, large] = [await attackWith('small'), await attackWith('large')]
    return {
      tried: `twice ${small.tried}`,
      held: small.held && large.held,
      figures: `small: ${small.figures}; 15 MB: ${large.figures}`,
    }
  },
}
