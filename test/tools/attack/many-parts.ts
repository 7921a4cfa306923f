// The attack of forms with very many tiny parts.
import { loadavg } from 'node:os'
import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const CALM_MS = 2_000
const ROUNDS = 5
const MAX_HEALTH_MS = 100
const BODY_BYTES = 4_000_000
const PATHS = ['/v1/images/edits', '/v1/audio/transcriptions', '/api/v1/upload']
const DISPOSITION = 'content-disposition: form-data; name="a"'
const PARTS = ['\r\n', 'x: y\r\n\r\n1', `${DISPOSITION}\r\n\r\n1`, `${DISPOSITION}; filename="b"\r\n\r\n1`]

export const manyParts: Attack = {
  name: 'many-parts',
  description: 'forms of 4 MB that are made of tiny parts, some without a name',
  async run() {
    await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: 'simulator' }))
    const [key] = gateway.keys
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=b',
    }
    const send = async (path: string, part: string): Promise<number> => {
      const text = `--b\r\n${part}\r\n`
      const body = `${text.repeat(BODY_BYTES / text.length)}--b--\r\n`
      const response = await fetch(new URL(path, gateway.url), { method: 'POST', headers, body })
      await response.arrayBuffer()
      return response.status
    }
    const sendAll = async (): Promise<number[]> => {
      const statuses: number[] = []
      for (const path of PATHS) for (const part of PARTS) statuses.push(await send(path, part))
      return statuses
    }
    await sendAll()
    const calm = watchHealth(gateway.url)
    await Bun.sleep(CALM_MS)
    const calm_ms = await calm.stop()
    const attacked = watchHealth(gateway.url)
    const statuses: number[] = []
    for (let round = 0; round < ROUNDS; round++) statuses.push(...(await sendAll()))
    const attacked_ms = await attacked.stop()
    const refused = statuses.filter((status) => status === 400).length
    return {
      tried: `${statuses.length} forms`,
      held: attacked_ms <= Math.max(MAX_HEALTH_MS, calm_ms) && refused === statuses.length,
      figures: `${refused} refused; healthz at most ${Math.round(attacked_ms)} ms (calm: ${Math.round(calm_ms)}), load average ${loadavg()[0]?.toFixed(0)}`,
    }
  },
}
