// The attack of small documents that unfold to much: free token counts and refused calls of an account without money.
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { bodyOfDigits } from '../../support/hostile-documents.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const FLOOD_MS = 10_000
const CONNECTIONS = 4
/** This number of documents has 16 KB of media. */
const DOCUMENTS = 40
const MAX_HEALTH_MS = 100

export const pdfDigits: Attack = {
  name: 'pdf-digits',
  description:
    'PDFs of 200 bytes that unfold to 19,400 digits, from an account without money: counted for free, or refused',
  async run() {
    const catalogue = catalogueOf({ upstream_url: 'simulator' }).replace('"debug"', '"error"')
    await using gateway = await startGatewayProcess(catalogue, { balance_usd: '0.000000001' })
    const headers = {
      'content-type': 'application/json',
      'x-api-key': gateway.key,
      'anthropic-version': '2023-06-01',
    }
    const body = bodyOfDigits(MODEL, DOCUMENTS)
    const health = watchHealth(gateway.url)
    const ends_ms = performance.now() + FLOOD_MS
    const statuses = new Map<number, number>()
    const flood = async (path: string): Promise<void> => {
      while (performance.now() < ends_ms) {
        const answer = await fetch(new URL(path, gateway.url), { method: 'POST', headers, body })
        await answer.arrayBuffer()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
    }
    const paths = ['/v1/messages', '/v1/messages/count_tokens']
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => flood(paths[at % 2] ?? '')))
    const longest_ms = await health.stop()
    const sent = statuses.values().reduce((sum, count) => sum + count, 0)
    return {
      tried: `${sent.toLocaleString('en')} requests of ${DOCUMENTS} documents`,
      held: longest_ms < MAX_HEALTH_MS && sent === (statuses.get(402) ?? 0) + (statuses.get(200) ?? 0),
      figures: `${[...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')}; healthz at most ${Math.round(longest_ms)} ms`,
    }
  },
}
