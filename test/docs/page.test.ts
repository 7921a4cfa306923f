// The page of the reference and its files: without a key, from this gateway alone, compressed if the browser accepts it.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { Elysia } from 'elysia'
import { contentOf } from '../../plugins/docs/public-routes.ts'
import { plugins } from '../../plugins/index.ts'
import { definePlugin } from '../../src/app/plugin.ts'
import { fileGateway, startTestGateway } from '../support/gateway.ts'
import { folderOfFile } from '../support/test-folder.ts'

const gateway = await fileGateway()

/** The addresses that a page requests from its own server. */
const addressesIn = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)

describe('the page', () => {
  test('needs no key, runs no script of its own, and loads nothing from elsewhere', async () => {
    const response = await gateway.call('/docs')
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'")
    expect(policy).not.toMatch(/http|unsafe-eval|\*/)
    expect(html).not.toMatch(/<script>|<style|onload=|https?:/)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  })

  test('requests existing files, with their types', async () => {
    const addresses = addressesIn(await (await gateway.call('/docs')).text())
    expect(addresses.length).toBeGreaterThan(4)
    const types: Record<string, RegExp> = {
      js: /^text\/javascript/,
      css: /^text\/css/,
      svg: /^image\/svg/,
      json: /^application\/json/,
    }
    for (const address of addresses) {
      const response = await gateway.call(address)
      const ending = new URL(address, gateway.url).pathname.split('.').at(-1) ?? ''
      expect([address, response.status]).toEqual([address, 200])
      expect(response.headers.get('content-type')).toMatch(types[ending] ?? /never/)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect((await response.bytes()).length).toBeGreaterThan(100)
    }
  })

  test("browsers cache Scalar's file forever, under an address that changes with it", async () => {
    const address = addressesIn(await (await gateway.call('/docs')).text()).find((one) =>
      one.includes('scalar'),
    )
    expect(address).toMatch(/^\/docs\/scalar\.js\?v=[0-9a-z]{8,}$/)
    const response = await gateway.call(address ?? '')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await response.text()).toContain('createApiReference')
  })

  test('HEAD is answered without a body', async () => {
    for (const path of ['/docs', '/docs/scalar.js', '/docs/openapi.json']) {
      const response = await gateway.call(path, undefined, { method: 'HEAD' })
      expect([path, response.status, await response.text()]).toEqual([path, 200, ''])
    }
  })
})

describe('the document', () => {
  const ask = (headers: Record<string, string>) =>
    fetch(new URL('/docs/openapi.json', gateway.url), { headers, decompress: false })

  test('comes uncompressed or in gzip, with the same content', async () => {
    const plain = await ask({ 'accept-encoding': 'identity' })
    const gzipped = await ask({ 'accept-encoding': 'gzip, deflate' })
    expect([plain.headers.get('content-encoding'), gzipped.headers.get('content-encoding')]).toEqual([
      null,
      'gzip',
    ])
    expect(gzipped.headers.get('vary')).toBe('Accept-Encoding')
    const text = await plain.text()
    expect(gunzipSync(await gzipped.bytes()).toString()).toBe(text)
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.1', info: { title: 'Tollgate' } })
  })

  test('is not sent again to a reader that has it', async () => {
    const etag = (await ask({})).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-z]+"$/)
    const again = await ask({ 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('can be read by tools of any origin', async () => {
    const response = await ask({ origin: 'https://editor.example' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('a file stored as compressed copies', () => {
  const folder = folderOfFile()
  const stored = { br: folder.at('x.br'), gzip: folder.at('x.gz') }
  writeFileSync(stored.br, brotliCompressSync('the file'))
  writeFileSync(stored.gzip, gzipSync('the file'))
  const requestWith = (accepted?: string) =>
    new Request('http://localhost/', {
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    })

  test.each<[accepted: string | undefined, encoding: string | undefined]>([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['identity', undefined],
    [undefined, undefined],
  ])('is sent to a reader that accepts %p in %p', async (accepted, encoding) => {
    const { body, headers } = contentOf(stored, requestWith(accepted))
    expect(headers).toEqual({
      vary: 'Accept-Encoding',
      ...(encoding ? { 'content-encoding': encoding } : {}),
    })
    const bytes = await new Response(body).bytes()
    const copies: Record<string, Uint8Array> = {
      br: brotliCompressSync('the file'),
      gzip: gzipSync('the file'),
    }
    expect(Buffer.from(bytes)).toEqual(Buffer.from(encoding ? (copies[encoding] ?? []) : 'the file'))
  })
})

test('the making of the document yields to other work after every route', async () => {
  const { documentOf } = await import('../../plugins/docs/document.ts')
  const app = new Elysia()
  for (let at = 0; at < 20; at++) app.get(`/about/${at}`, () => at)
  let turns = 0
  let is_made = false
  const takeTurns = async () => {
    for (; !is_made; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
  const taking = takeTurns()
  await documentOf(app)
  is_made = true
  await taking
  expect(turns).toBeGreaterThanOrEqual(20)
})

test('the parts that plugins have of the document are loaded with the first request for it', async () => {
  let loaded = 0
  const spying = definePlugin({
    name: 'spying',
    routes: async () => () => new Elysia({ name: 'spying' }).post('/spying', () => 'hello'),
    reference: async () => {
      loaded++
      return {
        tag: 'Images',
        operations: [
          { route: 'POST /spying', id: 'spy', summary: 'Spy', answer: 'It.', body: {}, content: {} },
        ],
      }
    },
  })
  await using gateway = await startTestGateway({ plugins: [...plugins, spying] })
  await gateway.call('/spying', {})
  expect(loaded).toBe(0)
  for (let request = 0; request < 2; request++) {
    const document = await (await gateway.call('/docs/openapi.json')).json()
    expect(document).toMatchObject({ paths: { '/spying': { post: { operationId: 'spy' } } } })
  }
  expect(loaded).toBe(1)
})
