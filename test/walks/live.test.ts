// The live feed on the overview: calls turn up while they happen, without a reload; an account sees only its own. And its charts.
import { expect, test } from 'bun:test'
import { fileConsole, givePasswords, PASSWORD } from '../support/console.ts'

const { gateway, visit } = await fileConsole()
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob', { balance_usd: '10' })
await givePasswords(gateway, ['alice'])
const keys = { alice: await gateway.key('alice'), bob: await gateway.key('bob') }

async function callBy(name: keyof typeof keys, model: string): Promise<void> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const response = await gateway.call('/v1/chat/completions', { model, messages }, { key: keys[name] })
  expect(response.status).toBe(200)
  await response.arrayBuffer()
}

test('the operator sees everybody’s calls as they happen', async () => {
  await callBy('alice', 'sim-gpt')
  await using one = await visit('operator')
  await one.open('/console')
  const live = one.page.getByRole('region', { name: /live/i })
  await live.waitFor()
  await callBy('bob', 'sim-claude')
  await live.getByText('sim-claude').first().waitFor()
  await callBy('alice', 'sim-pro')
  await live.getByText('sim-pro').first().waitFor()
  await one.looksRight()
})

test('an account sees its own calls, and no other', async () => {
  await using one = await visit({ account: 'alice' })
  await one.open('/console')
  const live = one.page.getByRole('region', { name: /live/i })
  await live.waitFor()
  await callBy('bob', 'sim-claude')
  await callBy('alice', 'sim-pro')
  await live.getByText('sim-pro').first().waitFor()
  expect(await live.innerText()).not.toContain('sim-claude')

  // Who signs in again sees them go on.
  one.allow(/status of 401/)
  gateway.db.run("DELETE FROM sessions WHERE role = 'account'")
  await callBy('alice', 'sim-pro')
  const dialog = one.page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await live.getByText('live', { exact: true }).waitFor()
  await callBy('alice', 'sim-gpt')
  await live.getByText('sim-gpt').first().waitFor()
  await one.isClean()
})

test('a browser whose language Intl does not know is shown the charts', async () => {
  await using one = await visit('operator')
  await one.page.addInitScript(
    "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
  )
  await one.open('/console')
  await one.page.locator('canvas').first().waitFor()
  await one.isClean()
})
