// The console below a path of a host that has nothing else, behind nginx: with the path taken off, and with it passed on.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { paint } from '../media/support.ts'
import { fileConsole, givePasswords, PASSWORD } from '../support/console.ts'
import { consolePage } from '../support/console-page.ts'
import { freePort } from '../support/free-port.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'

const PATH = '/tollgate'
const port = freePort()
const ORIGIN = `http://127.0.0.1:${port}`
const CATALOGUE = FIRST_CATALOGUE.replace('[server]', `[server]\npublic_url = "${ORIGIN}${PATH}"`)
const WAIT = { timeout: 30_000 }
const PNG = Buffer.from(await paint('png', { width: 64, height: 48 }))

const { gateway } = await fileConsole({ catalogue: CATALOGUE })
await gateway.account('alice', { balance_usd: '10' })
const key = await gateway.key('alice')
await givePasswords(gateway, ['alice'])

describe.if(hasNginx)('behind nginx', () => {
  test.each([
    ['takes the path off', true],
    ['passes the path on', false],
  ])(
    'that %s: sign-in, pages, a file, the live feed, and an SDK; one of both: a call of the playground with a picture',
    async (_, strips) => {
      await using _nginx = await startNginx([gateway.url], { port, path: PATH, strips })
      await using one = await consolePage(ORIGIN)
      const { page } = one
      const at = () => new URL(page.url()).pathname

      await one.open(`${PATH}/`)
      expect(at()).toBe(`${PATH}/console`)
      await page.getByLabel('Account or email').fill('alice')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      const feed = page.waitForResponse((answer) => new URL(answer.url()).pathname.endsWith('/live'), WAIT)
      await page.keyboard.press('Enter')
      expect([new URL((await feed).url()).pathname, (await feed).status()]).toEqual([
        `${PATH}/console/api/live`,
        200,
      ])
      await page.getByRole('navigation').getByRole('link', { name: 'Calls', exact: true }).waitFor(WAIT)

      // By links and by addresses: the page's files are found from any depth.
      for (const name of ['Calls', 'Keys']) {
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { level: 1, name }).waitFor(WAIT)
        await one.quiet()
        expect(at()).toStartWith(`${PATH}/console/`)
      }
      const download = page.waitForEvent('download')
      await one.open(`${PATH}/console/calls`)
      await page.getByRole('link', { name: 'Export CSV' }).click()
      expect((await download).url()).toStartWith(`${ORIGIN}${PATH}/console/api/calls.csv`)

      // Once: its requests go the way of the export's.
      if (strips) {
        await one.open(`${PATH}/console/playground`)
        const choosing = page.waitForEvent('filechooser')
        await page.getByRole('button', { name: 'Add an image' }).click()
        await (await choosing).setFiles({ name: 'cat.png', mimeType: 'image/png', buffer: PNG })
        await page.getByLabel('Remove cat.png').waitFor(WAIT)
        await page.getByLabel('Message').fill('Hello')
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        await page.locator('.play-answer-foot [title$="USD"]').waitFor(WAIT)
      }
      await page.getByRole('link', { name: 'API reference' }).first().waitFor(WAIT)
      expect(await page.getByRole('link', { name: 'API reference' }).first().getAttribute('href')).toBe(
        `${PATH}/docs`,
      )
      await one.isClean()

      // Without the browser, in which the page of the reference takes longer than all the rest: its script requests the document beside it.
      const reference = await (await fetch(`${ORIGIN}${PATH}/docs`)).text()
      const [, script = ''] = /<script src="([^"]+\/page\.js)"/.exec(reference) ?? []
      const document_url = new URL('openapi.json', new URL(script, ORIGIN))
      expect(document_url.pathname).toBe(`${PATH}/docs/openapi.json`)
      const { servers } = (await (await fetch(document_url)).json()) as { servers: { url: string }[] }
      expect(servers.map(({ url }) => new URL(url, ORIGIN).href)).toEqual([`${ORIGIN}${PATH}`])

      const client = new OpenAI({ apiKey: key, baseURL: `${ORIGIN}${PATH}/v1` })
      const messages = [{ role: 'user' as const, content: 'Hello' }]
      const stream = await client.chat.completions.create({ model: 'sim-flash', messages, stream: true })
      let text = ''
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      expect(text.length).toBeGreaterThan(0)
      await gateway.rest()
    },
    180_000,
  )
})
