// The settings of the catalogue by their forms in a browser: values, mistakes, undo, conflicts, and rate limits.
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { alertSettings } from '../../plugins/alerts/settings.ts'
import { metrics_section } from '../../plugins/metrics/settings.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { SCREENS } from '../support/screens.ts'

const { gateway, visit } = await fileConsole({ catalogue: FIRST_CATALOGUE })

const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')
const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click()
const saved = (page: Page) =>
  page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })

/** The operator's page of all tests: loading it takes longer than most of them. */
const one = await visit('operator')
one.allow(/status of (422|409)/)
beforeAll(() => one.open('/console/settings'))

describe('sections, and limits, have forms of their own', () => {
  const now = () => gateway.started.catalogue()

  test.each([
    ['Server', 'Shutdown timeout', 'soon', /whole/, '20000', () => now().server.shutdown_timeout_ms, 20_000],
    [
      'Alerts',
      'Daily alert per account',
      '0',
      /amount in USD above 0/,
      '12.50',
      () => alertSettings.of(now()).account_daily_nanos,
      12_500_000_000,
    ],
    [
      'Metrics',
      'Local address',
      'nowhere',
      /address:port/,
      '127.0.0.1:9464',
      () => metrics_section.of(now()).listen,
      '127.0.0.1:9464',
    ],
  ] as const)(
    '%s: a mistake at its field, a save, and its undo',
    async (section, label, bad, words, good, is, expected) => {
      const { page } = one
      await page
        .getByRole('navigation', { name: 'Settings' })
        .getByRole('link', { name: section, exact: true })
        .click()
      await page.getByRole('heading', { name: section, level: 1 }).waitFor()
      const field = page.getByLabel(label, { exact: true })
      await field.waitFor()
      const [before, first] = [is(), await field.inputValue()]
      expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0)
      await field.fill(bad)
      await field.press('Enter')
      await page.locator('.field-error').getByText(words).waitFor()
      expect([await field.getAttribute('aria-invalid'), is()]).toEqual(['true', before])
      await field.fill(good)
      await page.getByText(/^tollgate config set /).waitFor({ state: 'attached' })
      await one.looksRight()
      await field.press('Enter')
      await saved(page)
      expect(is()).toEqual(expected as never)
      expect(await field.inputValue()).toBe(good)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Change undone').waitFor()
      await one.quiet()
      expect([is(), await field.inputValue()]).toEqual([before, first])
    },
  )

  test.each([
    ['Limits', 'Images a minute'],
    ['Console', 'Idle session'],
    ['Responses API', 'Keep for'],
    ['Retention', 'Traces of calls'],
    ['Backups', 'Daily at (UTC)'],
    ['Tracing', 'Share of calls'],
  ])('%s has the field %s', async (section, label) => {
    const { page } = one
    const links = page.getByRole('navigation', { name: 'Settings' })
    await links.getByRole('link', { name: section, exact: true }).click()
    await page.getByRole('heading', { name: section, level: 1 }).waitFor()
    await page.getByLabel(label, { exact: true }).waitFor()
    await one.looksRight()
  })

  test('a secret is shown as a mark, and a new one can be undone', async () => {
    const { page } = one
    await one.go('/console/settings/alerts')
    await page.getByLabel('Webhook URL').fill('https://alerts.example/hook')
    const field = page.getByLabel('Webhook secret')
    const first = `whsec_${'a'.repeat(32)}`
    await field.fill(first)
    await save(page)
    await saved(page)
    const mark = await field.inputValue()
    expect(mark).toMatch(/^hidden:/)
    await field.fill(`whsec_${'b'.repeat(32)}`)
    await save(page)
    await saved(page)
    expect(await field.inputValue()).toMatch(/^hidden:/)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    await one.quiet()
    expect(await field.inputValue()).toBe(mark)
    expect(file()).toContain(first)
  })

  test('a setting that would lock the operator out warns before it is saved', async () => {
    const { page } = one
    await one.go('/console/settings/console')
    await page.getByRole('switch', { name: 'Console' }).click()
    await page
      .getByRole('alert')
      .getByText(/^The console closes at once/)
      .waitFor()
    await one.fits()
    await page.getByRole('switch', { name: 'Console' }).click()
    await page.getByText(/^The console closes at once/).waitFor({ state: 'detached' })
    await page.getByRole('switch', { name: 'Sign-in over HTTP' }).click()
    expect(await page.getByText(/^If you use the console over plain HTTP/).count()).toBe(0)
    await page.getByRole('button', { name: 'Discard changes' }).click()
  })

  test('a table with free names is mentioned, with a link to the file', async () => {
    const { page } = one
    await one.go('/console/settings/telemetry')
    await page.getByText('to set [telemetry.headers].').waitFor()
    await one.fits()
    await page.getByRole('link', { name: 'Edit the configuration file' }).click()
    await page.waitForURL(/\/console\/system\/configuration$/)
    await one.go('/console/settings/limits')
    await page.getByLabel('Images a minute').waitFor()
    expect(await page.getByText('to set [').count()).toBe(0)
  })

  test('Storage is shown, and changed on the server alone', async () => {
    const { page } = one
    await one.go('/console/settings/storage')
    await page.getByText(/Changed in the file on the server/).waitFor()
    expect(await page.getByLabel('PostgreSQL database').isDisabled()).toBe(true)
    await one.fits()
  })

  test('a setting that needs a restart says so, before and after it is saved', async () => {
    const { page } = one
    await one.go('/console/settings/server')
    await page.getByText(/Address and port, .* Needs a restart\.$/).waitFor()
    await page.getByLabel('Listen address').fill('127.0.0.1:9999')
    await save(page)
    await page.getByText('Settings saved. Restart to apply: server.listen').waitFor()
    await page.getByText('Restart the gateway to apply: server.listen.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    await page.getByText('Restart the gateway to apply: server.listen.').waitFor({ state: 'detached' })
  })

  test('a value that somebody changed meanwhile: both are shown, and the second person decides', async () => {
    const { page } = one
    await one.go('/console/settings/limits')
    const field = page.getByLabel('Free requests a minute')
    await field.fill('40')
    const operator = await signedIn(gateway, 'operator')
    const values = [{ path: ['limits', 'reads_per_minute'], value: 30 }]
    await operator.json('POST', '/catalogue/values', { values })
    await save(page)
    await page.getByText('Free requests a minute: was not set, is now “30”; your value is “40”.').waitFor()
    expect(now().limits.reads_per_minute).toBe(30)
    await one.looksRight()
    await save(page)
    await saved(page)
    expect(now().limits.reads_per_minute).toBe(40)
  })

  test('the page asks before an unsaved change is left, which can be discarded', async () => {
    const { page } = one
    const { server, limits, responses, retention } = now()
    await one.go('/console/settings/limits')
    await page.getByLabel('Images a minute').fill('99')
    await page.getByRole('link', { name: 'Retention' }).click()
    const leaving = page.getByRole('dialog').filter({ hasText: 'Your changes are lost if you leave.' })
    await leaving.getByRole('button', { name: 'Stay on this page' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('link', { name: 'Retention' }).click()
    await page.getByRole('heading', { name: 'Retention', level: 1 }).waitFor()
    expect(now()).toMatchObject({ server, limits, responses, retention })
    await one.isClean()
  })

  describe('rate limits of one account and of one key', () => {
    let prefix = ''
    beforeAll(async () => {
      await gateway.account('ada')
      await gateway.key('ada')
      prefix = gateway.rows().keys.at(-1)?.prefix ?? ''
      await one.go('/console/accounts/ada?tab=limits')
    })
    const limits = () => gateway.started.catalogue().limits
    const edit = async (): Promise<Locator> => {
      await one.page.getByRole('button', { name: 'Edit limits' }).click()
      const dialog = one.page.getByRole('dialog', { name: /^Rate limits of / })
      await dialog.getByLabel('Requests a minute').waitFor()
      return dialog
    }

    test('an account: a mistake at its field, then the limit is on the page and in force', async () => {
      const { page } = one
      const dialog = await edit()
      await dialog.getByLabel('Requests a minute').fill('0')
      await dialog.getByLabel('Concurrent requests').fill('3')
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await dialog
        .locator('.field-error')
        .getByText(/whole number/)
        .waitFor()
      expect(limits().accounts?.ada).toBeUndefined()
      await dialog.getByLabel('Requests a minute').fill('60')
      await dialog.getByText(/limits\.accounts\.ada\.requests_per_minute=60/).waitFor({ state: 'attached' })
      await one.looksRight()
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(limits().accounts?.ada).toEqual({ requests_per_minute: 60, concurrent_calls: 3 })
      await page.getByText('0 of 60').waitFor()
      await one.fits()
    })

    test('a limit that somebody else set first: both values are shown, and theirs may stay', async () => {
      const dialog = await edit()
      await dialog.getByLabel('Requests a minute').fill('90')
      const operator = await signedIn(gateway, 'operator')
      const path = ['limits', 'accounts', 'ada', 'requests_per_minute']
      await operator.json('POST', '/catalogue/values', { values: [{ path, value: 70, was: 60 }] })
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await dialog.getByText('Requests a minute: was “60”, is now “70”; your value is “90”.').waitFor()
      await dialog.getByRole('button', { name: 'Keep current value' }).click()
      expect(await dialog.getByLabel('Requests a minute').inputValue()).toBe('70')
      await one.page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    })

    test('a key: its prefix is the name, and Settings lists both', async () => {
      const { page } = one
      await one.go('/console/keys/1')
      const dialog = await edit()
      await dialog.getByLabel('Tokens a minute').fill('9000')
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(limits().keys?.[prefix]).toEqual({ tokens_per_minute: 9_000 })
      await page.getByText('0 of 9,000').waitFor()
      await one.go('/console/settings/limits')
      await page.getByRole('link', { name: `${prefix}…` }).waitFor()
      await page.getByRole('link', { name: 'ada', exact: true }).click()
      await page.getByText('0 of 70').waitFor()
      await one.isClean()
    })
  })
})

test('choices, switches and lists, as wide as a phone', async () => {
  const { page } = one
  await page.setViewportSize(SCREENS.phone)
  await one.go('/console/settings/server')
  await page.getByRole('combobox', { name: 'Minimum log level' }).click()
  await page.getByRole('option', { name: 'warn' }).click()
  await page.getByRole('combobox', { name: 'When a client disconnects' }).click()
  await page.getByRole('option', { name: 'Finish the answer' }).click()
  await page.getByLabel('Trusted proxies').fill('127.0.0.1, 10.0.0.0/8')
  await one.looksRight()
  await save(page)
  await saved(page)
  await page.getByRole('combobox', { name: 'Settings page' }).click()
  await page.getByRole('option', { name: 'Responses API' }).click()
  await page.getByRole('switch', { name: 'Store responses' }).click()
  await save(page)
  await saved(page)
  const { server, responses } = gateway.started.catalogue()
  expect([server.log_level, server.on_disconnect, server.trusted_proxies, responses.store]).toEqual([
    'warn',
    'drain',
    ['127.0.0.1', '10.0.0.0/8'],
    false,
  ])
  await page.setViewportSize(SCREENS.wide)
  await one.isClean()
})

test('rare settings of a model: a list, a choice and a switch, and the setting of a route', async () => {
  const { page } = one
  await one.go('/console/models/sim-flash')
  await page.getByRole('link', { name: 'Edit model' }).click()
  await page.getByText('More settings', { exact: true }).last().click()
  const efforts = page.getByLabel('Efforts')
  await efforts.fill('low, hig')
  await efforts.press('Enter')
  const mistake = page.locator('.field-error').getByText(/must be/)
  await mistake.waitFor()
  await efforts.fill('low, high')
  await efforts.press('Enter')
  await mistake.waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Unknown fields' }).click()
  await page.getByRole('option', { name: 'refuse' }).click()
  await page.getByRole('switch', { name: 'Automatic caching' }).click()
  await one.quiet()
  await page.getByText('Route: More settings').click()
  const weight = page.getByLabel('Route: Weight')
  await weight.fill('3')
  await weight.press('Enter')
  await one.quiet()
  await one.looksRight()
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const [first] = [...gateway.started.catalogue().models.values()]
  expect(first).toMatchObject({
    efforts: ['low', 'high'],
    unknown_fields: 'refuse',
    automatic_caching: false,
    routes: [{ weight: 3 }],
  })
  await one.isClean()
})

test('the settings of the form are for the operator', async () => {
  expect((await clientOf(gateway).send('GET', '/catalogue/settings')).status).toBe(401)
  await gateway.account('alice')
  const account = await signedIn(gateway, { account: 'alice' })
  expect((await account.send('GET', '/catalogue/settings')).status).toBe(403)
  const { sections } = await (await signedIn(gateway, 'operator')).json('GET', '/catalogue/settings')
  expect(sections.map(({ name }: { name: string }) => name)).toContain('limits')
})

test('the saved address of a webhook is hidden like a key, and another takes its place', async () => {
  const addressOf = (token: string) => `https://hooks.example.com/services/T0/B0/${token}`
  const alerts = '\n[alerts]\nwebhook_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"\n'
  await gateway.recatalogue(`${FIRST_CATALOGUE}${alerts}webhook_url = "${addressOf('token-1')}"\n`)
  const { page } = one
  await one.open('/console/settings/alerts')
  const field = page.getByLabel('Webhook URL')
  await field.waitFor()
  expect(await field.inputValue()).toMatch(/^hidden:[\w-]{8}$/)
  await one.fits()
  await field.fill(addressOf('token-2'))
  expect(await page.getByText(/^tollgate config set /).textContent()).toBe(
    "tollgate config set 'alerts.webhook_url=env:NAME'",
  )
  await field.press('Enter')
  await saved(page)
  expect(alertSettings.of(gateway.started.catalogue()).webhook?.url).toBe(addressOf('token-2'))
  await one.quiet()
  expect(await field.inputValue()).toMatch(/^hidden:[\w-]{8}$/)
  expect(await page.content()).not.toContain('token-')
  await one.isClean()
})

test('a disabled console says so, and shows the operator alone how to enable it', async () => {
  await gateway.account('carl')
  await using holder = await visit({ account: 'carl' })
  holder.allow(/status of 404/)
  await holder.open('/console/calls')
  const { page } = one
  one.allow(/status of 404/)
  await one.go('/console/settings/console')
  await page.getByRole('switch', { name: 'Console' }).click()
  await save(page)
  await page.getByRole('heading', { name: 'The console is off' }).waitFor()
  await page.getByText('tollgate config set console.enabled=true').waitFor()
  expect(file()).toMatch(/^enabled = false$/m)
  await one.looksRight()
  // At the next poll for new calls.
  await holder.page.locator('h1', { hasText: 'The console is off' }).waitFor()
  expect(await holder.page.content()).not.toMatch(/tollgate config/)
  await gateway.recatalogue(FIRST_CATALOGUE)
  await page.reload()
  await page.getByRole('heading', { name: 'Console', level: 1 }).waitFor()
})
