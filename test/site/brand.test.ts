// The brand where account holders see it: its settings, its files, and the console and the API reference under its name.
import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkBrandFiles } from '../../plugins/site/brand-check.ts'
import { MAX_BRAND_BYTES, readBrandFile } from '../../plugins/site/brand-files.ts'
import type { ReadContext } from '../../src/app/checks/check.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { CATALOGUE, mistakesOf, readGood } from '../catalogue/catalogues.ts'
import { fileConsole } from '../support/console.ts'
import { fileGateway } from '../support/gateway.ts'
import { temporary } from '../support/temporary.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
/** A script that would leave a trace if it ever ran. */
const SVG = `<?xml version="1.0"?>
<!-- <svg> of nobody -->
<!DOCTYPE svg>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 28" onload="document.title='ran'">
<script>globalThis.ran = true; top.document.title = 'ran'; fetch('https://evil.example/')</script>
<rect width="28" height="28" fill="#7a3cff"/><text x="36" y="20">Acme</text></svg>`

describe('the settings', () => {
  const brand = (lines: string) => `[brand]\n${lines}\n${CATALOGUE}`
  test.each([
    ['name = ""', /2 brand.name: must be a name of at most 60 characters/],
    ['name = "   "', /brand.name: must be a name/],
    [`name = "${'x'.repeat(61)}"`, /brand.name: must be a name of at most 60/],
    ['name = "Acme\\r\\nBcc: all@example.com"', /brand.name: must be without the control character \\u000d/],
    ['name = "Acme\\u202Etxet"', /brand.name: must be without the control character \\u202e/],
    ['logo = "../secret.svg"', /brand.logo: must be the name of a .png, .webp or .svg file/],
    ['logo = "/etc/passwd"', /brand.logo: must be the name/],
    ['logo = "tollgate.db"', /brand.logo: must be the name/],
    ['logo = "https://cdn.example/logo.svg"', /brand.logo: must be the name/],
    ['icon = ".hidden.png"', /brand.icon: must be the name/],
    ['icon = "a b.png"', /brand.icon: must be the name/],
    ['color = "blue"', /brand.color: must be a colour as "#rrggbb"/],
    ['color = "#fff"', /brand.color: must be a colour/],
    ['color = "#ffffff;background:url(https://x)"', /brand.color: must be a colour/],
    ['support_url = "javascript:alert(1)"', /brand.support_url: must be a URL or a mail address/],
    ['terms_url = "mailto:a@example.com"', /brand.terms_url: must be a URL/],
    ['terms_url = "https://["', /brand.terms_url: must be a complete URL/],
    ['privacy_url = "https://example.com/\\"><script>"', /brand.privacy_url: must be a URL/],
    ['imprint_url = "//example.com"', /brand.imprint_url: must be a URL/],
    ['title = "Acme"', /brand.title: unknown field/],
  ])('refuses %s', (line, mistake) => {
    expect(mistakesOf(brand(line))).toEqual([expect.stringMatching(mistake)])
  })

  test('accepts a name with signs of HTML, and warns of the shade that a pale colour gets on white', () => {
    const { catalogue, warnings } = readGood(brand('name = "A <b>&\\" אבג"\ncolor = "#FFD600"'))
    expect(catalogue.brand).toEqual({ name: 'A <b>&" אבג', color: '#FFD600' })
    expect(warnings).toEqual([
      expect.objectContaining({
        path: 'brand.color',
        line: 3,
        message: expect.stringMatching(
          /^is hard to read on white: links on light pages are #[0-9a-f]{6} instead/,
        ),
      }),
    ])
  })
})

describe('the files', () => {
  test.each([
    ['is-html.svg', '<html><svg></svg></html>', 'is not an SVG image'],
    ['is-text.svg', 'svg', 'is not an SVG image'],
    ['is-open.svg', '<!-- <svg>', 'is not an SVG image'],
    [
      'has-entities.svg',
      '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
      'is not an SVG image without entities',
    ],
    ['is-latin.svg', Buffer.from('<svg>\xe9</svg>', 'latin1'), 'is not an SVG image'],
    ['is-svg.png', SVG, 'is not a PNG image'],
    ['is-png.webp', PNG, 'is not a WebP image'],
    ['is-empty.png', '', 'is not a PNG image'],
    ['is-large.png', Buffer.concat([PNG, Buffer.alloc(MAX_BRAND_BYTES)]), 'at most 256 kB are shown'],
    ['is-missing.png', undefined, 'was not found'],
  ])('%s is not shown, and the doctor says why', async (name, content, problem) => {
    using own = temporary()
    if (content !== undefined) writeFileSync(own.at(name), content)
    expect(await readBrandFile(own.path, name)).toEqual({ problem: expect.stringMatching(problem) })
    const { catalogue } = readGood(`[brand]\nlogo = "${name}"\n${CATALOGUE}`)
    const context = { data_folder: own.path, catalogue } as ReadContext
    expect(await checkBrandFiles(context)).toEqual([
      expect.objectContaining({ level: 'warn', found: expect.stringMatching(problem) }),
    ])
  })

  test.each([
    ['logo.svg', SVG, 'image/svg+xml'],
    ['icon.png', PNG, 'image/png'],
  ])('%s is an image', async (name, content, type) => {
    using own = temporary()
    writeFileSync(own.at(name), content)
    expect(await readBrandFile(own.path, name)).toMatchObject({ type })
  })

  test('many comments without a root are read in a moment', async () => {
    using own = temporary()
    writeFileSync(own.at('comments.svg'), '<!-- -->'.repeat(30_000))
    expect(await readBrandFile(own.path, 'comments.svg')).toHaveProperty('problem')
  })
})

const BRAND = `[brand]
name = "Acme <b>AI</b> אבג"
logo = "logo.svg"
icon = "icon.png"
color = "#5b21b6"
support_url = "mailto:help@acme.example"
terms_url = "https://acme.example/terms?a=1&b=2"

`
const { gateway, visit } = await fileConsole({ catalogue: BRAND + FIRST_CATALOGUE })
writeFileSync(join(gateway.data_folder, 'logo.svg'), SVG)
writeFileSync(join(gateway.data_folder, 'icon.png'), PNG)
await gateway.account('lena', { balance_usd: '10' })
const get = (path: string, init?: RequestInit) => fetch(new URL(path, gateway.url), init)

describe('over HTTP', () => {
  test.each([
    ['/brand/logo', 'image/svg+xml'],
    ['/brand/icon', 'image/png'],
  ])('%s is served with its type, and can run nothing', async (path, type) => {
    const { status, headers } = await get(path)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* sandbox$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.has('set-cookie')).toBe(false)
    const again = await get(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await get(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test.each([
    '/brand/tollgate.toml',
    '/brand/../tollgate.db',
    '/brand/%2e%2e/tollgate.toml',
    '/brand/',
    '/brand/logo/x',
  ])('%s is not found', async (path) => expect((await get(path)).status).toBe(404))

  test('a missing file is in the log once, however often it is requested', async () => {
    const bare = await fileGateway({ catalogue: `[brand]\nlogo = "missing.svg"\n${FIRST_CATALOGUE}` })
    const ask = async () => (await fetch(new URL('/brand/logo', bare.url))).status
    expect([await ask(), await ask(), await ask()]).toEqual([404, 404, 404])
    const warned = bare.log.lines().filter(({ message }) => message === 'a file of the brand is not shown')
    expect(warned).toHaveLength(1)
  })

  test('the console and the API reference have the name, escaped', async () => {
    for (const path of ['/console', '/docs']) {
      const page = await (await get(path)).text()
      expect(page).toContain('Acme &lt;b&gt;AI&lt;/b&gt; אבג')
      expect(page).not.toMatch(/Tollgate|<b>/)
      expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\sstyle=/)
    }
    const document = (await (await get('/docs/openapi.json')).json()) as { info: { title: string } }
    expect(document.info.title).toBe('Acme <b>AI</b> אבג')
  })

  test('a list of models has the name as the owner of models', async () => {
    const key = await gateway.key('lena')
    const { data } = (await (await gateway.call('/v1/models', undefined, { key })).json()) as {
      data: { owned_by: string }[]
    }
    expect(new Set(data.map(({ owned_by }) => owned_by))).toEqual(new Set(['acme-b-ai-b']))
  })
})

describe('in a browser', () => {
  test('the sign-in has the logo and the operator’s pages', async () => {
    await using one = await visit()
    await one.open('/console')
    const { page } = one
    await page.getByRole('img', { name: 'Acme <b>AI</b> אבג' }).waitFor()
    expect(await page.getByRole('link', { name: 'Terms' }).getAttribute('href')).toBe(
      'https://acme.example/terms?a=1&b=2',
    )
    expect(await page.getByRole('link', { name: 'Support' }).getAttribute('href')).toBe(
      'mailto:help@acme.example',
    )
    expect(await page.title()).toBe('Sign in · Acme <b>AI</b> אבג')
    expect(await page.content()).not.toContain('Tollgate')
    await one.looksRight()
    await one.looksRight()
  })

  test('the pages of an account holder have the product’s name nowhere, and the statement is printed under the logo', async () => {
    await using one = await visit({ account: 'lena' })
    await one.open('/console/start')
    for (const path of [
      '/console/start',
      '/console/playground',
      '/console/transactions/statement',
      '/console/keys',
      '/console/settings',
    ]) {
      await one.go(path)
      expect(await one.page.content()).not.toMatch(/Tollgate|TOLLGATE|tollgate [a-z]/)
    }
    await one.looksRight()

    await one.go('/console/transactions/statement')
    const mark = one.page.locator('.print-brand')
    await mark.waitFor({ state: 'attached' })
    expect(await mark.isVisible()).toBe(false)
    await one.page.emulateMedia({ media: 'print' })
    expect(await mark.isVisible()).toBe(true)
    expect(await one.page.locator('.side-bar').first().isVisible()).toBe(false)
  })

  test('the colour is in force, in both themes', async () => {
    await using one = await visit('operator')
    await one.open('/console/keys')
    const accent = () =>
      one.page.evaluate("getComputedStyle(document.querySelector('.side-link')).getPropertyValue('--accent')")
    expect(await accent()).toMatch(/^light-dark\(#5b21b6, #[0-9a-f]{6}\)$/)
    await one.looksRight()
    await one.looksRight()
  })

  test('the logo opened by itself runs no script', async () => {
    await using one = await visit()
    one.allow(/sandboxed|Content Security Policy|Refused|Blocked/)
    await one.page.goto('/brand/logo')
    expect(await one.page.evaluate('[globalThis.ran, document.title, origin]')).toEqual([
      undefined,
      '',
      'null',
    ])
  })

  test('a file that disappears leaves the name in its place', async () => {
    rmSync(join(gateway.data_folder, 'logo.svg'))
    await using one = await visit()
    one.allow(/404/)
    await one.page.route('**/brand/logo*', (route) => route.fulfill({ status: 404 }))
    await one.open('/console')
    await one.page.getByText('Acme <b>AI</b> אבג').first().waitFor()
    expect(await one.page.getByRole('img', { name: 'Acme' }).count()).toBe(0)
  })
})
