// Passkeys in the browser, with its virtual authenticator: added, used to sign in and to confirm, named and removed.
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { walkedGateway } from '../sign-in/walked.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const { owner, visit, makeStale } = await walkedGateway()

/** A virtual device in the browser, which keeps passkeys and verifies its user. */
async function deviceIn(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    verifies: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** The next test uses the same page. */
    [Symbol.asyncDispose]: async () => {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}

describe.each(WALK_SCREENS)('screens: %s', (size) => {
  test('a person adds a passkey, signs in by it without a name once the device verifies them, confirms by it, and removes it', async () => {
    const name = `anna-${size}`
    const { person_id } = await owner(name)
    await using one = await visit({ account: name }, { size })
    const { page } = one
    await using device = await deviceIn(page)
    await one.open('/console/settings')
    await page.getByText('A passkey signs you in').waitFor()
    await page.getByRole('button', { name: 'Add passkey' }).click()
    const adding = page.getByRole('dialog', { name: 'Add passkey' })
    await adding.getByRole('textbox', { name: 'Name' }).fill('laptop')
    await one.looksRight()
    await page.keyboard.press('Enter')
    await page.getByText('Passkey "laptop" added').waitFor()
    await page.getByRole('cell', { name: 'laptop' }).waitFor()

    // Without its user's fingerprint or PIN, the device signs nobody in.
    await page.context().clearCookies()
    await one.open('/console/settings')
    await device.verifies(false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was used').waitFor()
    await one.fits()
    await device.verifies(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('this session').waitFor()
    expect(await page.getByRole('table', { name: 'Sessions' }).innerText()).toContain('passkey')
    await one.isClean()

    await makeStale(person_id)
    one.allow(/status of 403/)
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('desk')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'desk' }).waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Remove passkey' }).click()
    const confirming = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await confirming.waitFor()
    await one.looksRight()
    await confirming.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.getByText('Passkey "desk" removed').waitFor()
    await page.getByText('A passkey signs you in').waitFor()
    await one.isClean()
  })
})
