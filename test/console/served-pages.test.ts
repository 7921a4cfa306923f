// The console's pages over a socket: one document for every address, its files, their headers, and their size.
import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type BundledFile, bundlePages } from '../../plugins/console/bundle.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { fileGateway } from '../support/gateway.ts'

/**
 * The limit of JavaScript for the first page that a browser opens, at a level that is four times as quick as the executable's, for 7 % more
 * bytes. 2 kB of it are entries of payments, plans, vouchers and referrals in the shell; the last raise: the name and unit of each amount.
 */
const MAX_BROTLI_BYTES = 216_700

const gateway = await fileGateway()
/** Without these options, Bun's fetch requests compressed bodies and unpacks them. */
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, gateway.url), {
    headers: { 'accept-encoding': 'identity', ...headers },
    decompress: false,
    redirect: 'manual',
  })

const document_text = await (await get('/console')).text()

const assetsIn = (text: string): string[] =>
  [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)

const scriptPath = (): string => assetsIn(document_text).find((path) => path.endsWith('.js')) ?? ''

describe('the document', () => {
  test.each([
    '/console',
    '/console/',
    '/console/calls',
    '/console/calls/req_1?tab=entries',
    '/console/models/gpt-5.1',
    '/console/models/a%2Fb',
  ])('is served at %s', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toStartWith('text/html')
    expect(await answer.text()).toBe(document_text)
  })

  test('has a script, a style sheet and an icon, with hashes in their names, and nothing inline', () => {
    const assets = assetsIn(document_text)
    expect(assets.map((path) => path.slice(path.lastIndexOf('.'))).sort()).toEqual(['.css', '.js', '.svg'])
    for (const path of assets) expect(path).toMatch(/-[a-z0-9]{8}\.[a-z]+$/)
    expect(document_text).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=/)
  })

  test('has a policy for its scripts, its requests and its frames', async () => {
    const { headers } = await get('/console')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toMatch(/https?:|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('permissions-policy')).toContain('camera=()')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('is revalidated each time, and not sent twice', async () => {
    const first = await get('/console')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const again = await get('/console/calls', { 'if-none-match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  })

  test('has an answer to HEAD, without a body', async () => {
    const answer = await fetch(new URL('/console', gateway.url), { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('')
  })
})

test('the root address redirects browsers to the console, and is not found for programs', async () => {
  const browser = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console'])
  const program = await get('/', { accept: '*/*' })
  expect([program.status, program.headers.get('location')]).toEqual([404, null])
})

describe('its files', () => {
  test('are cached forever, each with its type', async () => {
    for (const path of assetsIn(document_text)) {
      const { status, headers } = await get(path)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toContain('immutable')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await get(scriptPath())).headers.get('content-type')).toMatch(/^text\/javascript/)
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('are sent as %s to clients that accept it, with the same bytes', async (coding, unpack) => {
    const [plain, packed] = await Promise.all([
      get(scriptPath()),
      get(scriptPath(), { 'accept-encoding': coding }),
    ])
    expect(packed.headers.get('content-encoding')).toBe(coding)
    expect(packed.headers.get('vary')).toBe('accept-encoding')
    expect(packed.headers.get('etag')).not.toBe(plain.headers.get('etag'))
    const [whole, bytes] = await Promise.all([plain.bytes(), packed.bytes()])
    expect(bytes.length).toBeLessThan(whole.length / 2)
    expect(Buffer.compare(unpack(bytes), whole)).toBe(0)
  })

  test.each([
    '/console/assets/index-00000000.js',
    '/console/assets/',
    '/console/assets/../assets/x.js',
    '/console/assets/..%2findex.html',
    '/console/api',
    '/console/api/nothing',
  ])('an unknown file or route is 404 in JSON: %s', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    const { error } = (await answer.json()) as { error: { type: string; message: string } }
    expect(error.type).toBe('not_found')
  })
})

test('a disabled console has no pages', async () => {
  await gateway.recatalogue(`${catalogueOf({ upstream_url: 'simulator' })}\n[console]\nenabled = false\n`)
  expect((await get('/console')).status).toBe(404)
  expect((await get(scriptPath())).status).toBe(404)
  await gateway.recatalogue(catalogueOf({ upstream_url: 'simulator' }))
  expect((await get('/console')).status).toBe(200)
})

describe('the scripts', () => {
  let bundling: Promise<BundledFile[]> | undefined
  const bundled = () => (bundling ??= bundlePages({ brotli_quality: 9 }))

  test('of each page, with the shell, are small enough', async () => {
    const sizes = await pageSizes(await bundled())
    expect(sizes.size).toBeGreaterThanOrEqual(4)
    for (const [page, bytes] of sizes) {
      expect({ page, bytes, is_whole: bytes > 100_000 }).toMatchObject({ is_whole: true })
      expect({ page, is_small: bytes <= MAX_BROTLI_BYTES, bytes }).toMatchObject({ is_small: true })
    }
  })

  test('are the production build of React', async () => {
    for (const { name, bytes } of await bundled())
      if (name.endsWith('.js'))
        expect(new TextDecoder().decode(bytes.identity)).not.toContain('Invalid hook call. Hooks can only')
  })
})

/** Compressed bytes of the document's script and of all that each page loads besides, with its charts and dialogs. */
async function pageSizes(files: readonly BundledFile[]): Promise<Map<string, number>> {
  const scripts = new Map(files.filter(({ name }) => name.endsWith('.js')).map((file) => [file.name, file]))
  const textOf = (name: string) => new TextDecoder().decode(scripts.get(name)?.bytes.identity)
  const namesIn = (name: string, pattern: RegExp) =>
    [...textOf(name).matchAll(pattern)].map(([, found = '']) => `assets/${found}`)
  const STATIC = /(?:from|import)\s*"\.\/([^"]+\.js)"/g
  const LAZY = /import\("\.\/([^"]+\.js)"\)/g

  function reach(
    names: readonly string[],
    lazily: boolean,
    known: ReadonlySet<string> = new Set(),
  ): Set<string> {
    const reached = new Set<string>()
    const visit = (name: string): void => {
      if (reached.has(name) || known.has(name)) return
      reached.add(name)
      for (const next of namesIn(name, STATIC)) visit(next)
      if (lazily) for (const next of namesIn(name, LAZY)) visit(next)
    }
    for (const name of names) visit(name)
    return reached
  }

  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (scripts.get(name)?.bytes.br.length ?? 0), 0)
  const document_file = files.find(({ name }) => name === 'index.html')
  const first = assetsIn(new TextDecoder().decode(document_file?.bytes.identity))
    .filter((path) => path.endsWith('.js'))
    .map((path) => path.slice('/console/'.length))
  const shell = reach(first, false)
  const pages = [...shell].flatMap((name) => namesIn(name, LAZY))
  return new Map(pages.map((page) => [page, sum(shell) + sum(reach([page], true, shell))]))
}
