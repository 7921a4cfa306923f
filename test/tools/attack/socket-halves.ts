// The attack of incomplete messages over WebSockets: the gateway's memory for them, and the calls of others meanwhile.
import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { usedMemory } from '../../support/memory.ts'
import { ask, wholePath } from '../../support/native.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'
import { connectWebSocket, frameOf } from './web-socket-client.ts'

const SOCKETS = 200
const MEGABYTE = 1024 * 1024
const MESSAGE_BYTES = 16 * MEGABYTE - 16
const ROUNDS = 15
const PAUSE_MS = 200
/** The gateway closes idle sockets beyond 1,280 MB; bytes that arrive meanwhile come on top. */
const MAX_PEAK_MB = 1_800
const MAX_HEALTH_MS = 1_000

export const socketHalves: Attack = {
  name: 'socket-halves',
  description: `${SOCKETS} WebSockets that send 15 of 16 MB of a message, 3 GB in all`,
  async run() {
    await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: 'simulator' }), {
      accounts: 2,
    })
    const [key = '', other = ''] = gateway.keys
    const clients = await Promise.all(
      Array.from({ length: SOCKETS }, () => connectWebSocket(gateway.url, key)),
    )
    let closed = 0
    for (const client of clients) void client.closed.then(() => closed++)
    const health = watchHealth(gateway.url)
    let peak_mb = 0
    const look = async () => {
      peak_mb = Math.max(peak_mb, await usedMemory(gateway.pid))
    }
    // The process lives as long as the attack; otherwise the attack fails.
    const watch = setInterval(() => void look(), 50)
    const statuses: number[] = []
    const call = async () => {
      const response = await fetch(new URL(wholePath(), gateway.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
        body: JSON.stringify(ask()),
      })
      await response.arrayBuffer()
      statuses.push(response.status)
    }
    for (const client of clients) client.send(frameOf('{"type":"', { declared_bytes: MESSAGE_BYTES }))
    const part = Buffer.alloc(MEGABYTE, 'x')
    for (let round = 0; round < ROUNDS; round++) {
      for (const client of clients) client.send(part)
      await call()
      await Bun.sleep(PAUSE_MS)
    }
    clearInterval(watch)
    const health_ms = Math.round(await health.stop())
    for (const client of clients) client.leave('close')
    const { calls, holds } = gateway.books()
    const served = statuses.filter((status) => status === 200).length
    return {
      tried: `${SOCKETS} sockets, ${ROUNDS} MB each`,
      held:
        peak_mb < MAX_PEAK_MB &&
        health_ms < MAX_HEALTH_MS &&
        served === ROUNDS &&
        calls.length === ROUNDS &&
        holds.every(({ state }) => state !== 'pending'),
      figures: `at most ${peak_mb} MB, ${closed} closed for want of memory; ${served} of ${ROUNDS} calls of others answered; healthz at most ${health_ms} ms`,
    }
  },
}
