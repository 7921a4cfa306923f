// The settings of the catalogue by their form in a browser: what is typed stands in the file, what is emptied is taken out.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertSettings } from '../../plugins/alerts/settings.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import { clientOf, signedIn } from '../support/console-session.ts'

const { gateway, visit } = await fileConsole({ catalogue: FIRST_CATALOGUE })
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')

test('the operator changes limits, and is told what a value must be', async () => {
  await using one = await visit('operator')
  const { page } = one
  const before = file()
  await one.open('/console/catalogue?part=settings+limits')
  const field = page.getByLabel('Account: requests per minute')
  await field.fill('many')
  await field.press('Enter')
  await page
    .locator('.field-error')
    .getByText(/whole number/)
    .waitFor()
  await one.looksRight()
  await field.fill('60')
  await field.press('Enter')
  await page.getByText('whole number').first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page.getByRole('button', { name: 'Save catalogue' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(gateway.started.catalogue().limits.account?.requests_per_minute).toBe(60)
  await field.fill('')
  await field.press('Enter')
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page.getByRole('button', { name: 'Save catalogue' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(gateway.started.catalogue().limits.account?.requests_per_minute).toBeUndefined()
  expect(file()).toStartWith(before.trimEnd())
  await one.isClean()
})

test('choices, switches and lists', async () => {
  await using one = await visit('operator', { size: 'phone' })
  const { page } = one
  await one.open('/console/catalogue?part=settings+server')
  await page.getByRole('combobox', { name: 'Log level' }).click()
  await page.getByRole('option', { name: 'warn' }).click()
  await one.quiet()
  const proxies = page.getByLabel('Trusted proxies')
  await proxies.fill('127.0.0.1, 10.0.0.0/8')
  await proxies.press('Enter')
  await one.quiet()
  await one.looksRight()
  await page.getByRole('combobox', { name: 'Part of the file' }).click()
  await page.getByRole('option', { name: 'Settings: responses' }).click()
  await page.getByRole('switch', { name: 'Store' }).click()
  await one.quiet()
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page.getByRole('button', { name: 'Save catalogue' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const { server, responses } = gateway.started.catalogue()
  expect([server.log_level, server.trusted_proxies, responses.store]).toEqual([
    'warn',
    ['127.0.0.1', '10.0.0.0/8'],
    false,
  ])
  await one.isClean()
})

test('settings of a model that few change: a list, a choice and a switch, and the setting of a route', async () => {
  await gateway.recatalogue(FIRST_CATALOGUE)
  await using one = await visit('operator')
  const { page } = one
  await one.open('/console/catalogue?part=models+0')
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
  await page.getByRole('button', { name: 'Save catalogue' }).click()
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

test('what the form has is for the operator', async () => {
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
  await using one = await visit('operator')
  const { page } = one
  await one.open('/console/catalogue?part=settings+alerts')
  const field = page.getByLabel('Webhook URL')
  await field.waitFor()
  expect(await field.inputValue()).toMatch(/^hidden:[\w-]{8}$/)
  await one.looksRight()
  await field.fill(addressOf('token-2'))
  await field.press('Enter')
  await one.quiet()
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page.getByRole('button', { name: 'Save catalogue' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(alertSettings.of(gateway.started.catalogue()).webhook?.url).toBe(addressOf('token-2'))
  await one.quiet()
  expect(await field.inputValue()).toMatch(/^hidden:[\w-]{8}$/)
  expect(await page.content()).not.toContain('token-')
  await one.isClean()
})
