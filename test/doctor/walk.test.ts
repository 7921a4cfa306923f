// The doctor in the console: for the operator alone, by a button of the System page, with what to do.
import { expect, test } from 'bun:test'
import { fileConsole } from '../support/console.ts'
import { clientOf, signedIn } from '../support/console-session.ts'

const { gateway, visit } = await fileConsole()

test('nobody else gets a report', async () => {
  await gateway.account('alice', { balance_usd: '1' })
  expect((await clientOf(gateway).send('POST', '/doctor')).status).toBe(401)
  expect((await (await signedIn(gateway, { account: 'alice' })).send('POST', '/doctor')).status).toBe(403)
  expect(
    (await (await signedIn(gateway, { key: await gateway.key('alice') })).send('POST', '/doctor')).status,
  ).toBe(403)
})

test.each(['wide', 'phone'] as const)(
  'the operator presses Check, and sees what was found: %s',
  async (size) => {
    await using one = await visit('operator', { size })
    const { page } = one
    await one.open('/console/system')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('table', { name: 'Check results' }).waitFor()
    await page.getByText('quick check passed').waitFor()
    // What stands between backticks is code, not a mark.
    await page.locator('code', { hasText: /^tollgate audit$/ }).waitFor()
    expect(await page.getByRole('main').textContent()).not.toContain('`')
    await page.getByText(/\d+ findings: 0 failed/).waitFor()
    await one.looksRight()
    await one.isClean()
  },
)
