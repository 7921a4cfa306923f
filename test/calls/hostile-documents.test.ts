// Hostile documents, whose few bytes unfold to the most expensive case of the scanner, from an account without money: the gateway keeps answering others.
import { expect, test } from 'bun:test'
import { catalogueOf, MODEL } from '../support/catalogue.ts'
import { craftedPdf } from '../support/crafted-media.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { bodyOfDigits, bodyOfPdfs } from '../support/hostile-documents.ts'

/** Measured on the loop, six of them took 12 seconds. */
const MAX_MS = 2_000
const DOCUMENTS = 6

const headersOf = (key: string) => ({
  'content-type': 'application/json',
  'x-api-key': key,
  'anthropic-version': '2023-06-01',
})

test('six documents of an account without money are refused, and no other request waits for them', async () => {
  const catalogue = catalogueOf({ upstream_url: 'simulator' })
  await using gateway = await startGatewayProcess(catalogue, { balance_usd: '0.000000001' })
  const headers = headersOf(gateway.key)
  const body = bodyOfDigits(MODEL, DOCUMENTS)
  const send = (path: string) => fetch(new URL(path, gateway.url), { method: 'POST', headers, body })
  let waiting = true
  const refused = Promise.all(Array.from({ length: 4 }, () => send('/v1/messages'))).finally(() => {
    waiting = false
  })
  const began_ms = performance.now()
  let longest_ms = 0
  do {
    const probe_began_ms = performance.now()
    await fetch(new URL('/healthz', gateway.url))
    longest_ms = Math.max(longest_ms, performance.now() - probe_began_ms)
  } while (waiting)
  expect((await refused).map(({ status }) => status)).toEqual([402, 402, 402, 402])
  expect(longest_ms).toBeLessThan(MAX_MS)
  expect((await send('/v1/messages/count_tokens')).status).toBe(200)
  expect(performance.now() - began_ms).toBeLessThan(2 * MAX_MS)
})

test('a document with a page count of nine or 400 digits is held as if it filled the context, and answered', async () => {
  await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: 'simulator' }), {
    balance_usd: '100',
  })
  for (const digits of [9, 400]) {
    const count = '9'.repeat(digits)
    const pdf = craftedPdf({ pages: 1 }).toString('latin1').replace('/Count 1', `/Count ${count}`)
    const answer = await fetch(new URL('/v1/messages', gateway.url), {
      method: 'POST',
      headers: headersOf(gateway.key),
      body: bodyOfPdfs(MODEL, [Buffer.from(pdf, 'latin1')]),
    })
    expect([digits, answer.status]).toEqual([digits, 200])
  }
})
