// A person's own sign-in in the browser: a link by mail, a new password, name and address, and the dialog that confirms their identity.
import { describe, expect, test } from 'bun:test'
import { walkedGateway } from '../sign-in/walked.ts'
import { PASSWORD } from '../support/console.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const { owner, visit, linkTo, makeStale } = await walkedGateway()

describe.each(WALK_SCREENS)('screens: %s', (size) => {
  test('a person signs in by a mailed link', async () => {
    const { email } = await owner(`anna-${size}`)
    await using one = await visit(undefined, { size })
    const { page } = one
    await one.open('/console')
    await page.getByRole('button', { name: 'Email me a link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Email me a link' })
    await one.looksRight()
    await dialog.getByLabel('Email address').fill(email)
    await page.keyboard.press('Enter')
    await dialog.getByText(`If ${email} can sign in here`).waitFor()
    await one.open(await linkTo(email, 'sign-in-link'))
    await page.getByText(`As anna-${size}.`).waitFor()
    await one.looksRight()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page
      .getByRole('heading', { name: 'Overview' })
      .or(page.getByRole('heading', { name: 'Start' }))
      .waitFor()
    expect(page.url()).not.toContain('#')
    await one.isClean()
    one.allow(/status of 404/)
    await one.open(await linkTo(email, 'sign-in-link'))
    await page.getByText('This link was already used').waitFor()
  })

  test('a person who forgot their password sets a new one', async () => {
    const { email } = await owner(`beth-${size}`)
    await using one = await visit(undefined, { size })
    const { page } = one
    await one.open('/console')
    await page.getByRole('button', { name: 'Email me a link' }).click()
    await page.getByRole('button', { name: 'Set a new password' }).click()
    await page.getByLabel('Email address').fill(email)
    await page.keyboard.press('Enter')
    await page.getByText('we have sent a link').waitFor()
    await one.open(await linkTo(email, 'new-password'))
    await page.getByLabel('Password', { exact: true }).fill('another password of hers')
    await page.keyboard.press('Enter')
    await page
      .getByRole('heading', { name: 'Overview' })
      .or(page.getByRole('heading', { name: 'Start' }))
      .waitFor()
    await one.isClean()
  })

  test('an older session is confirmed before the address changes; if it is not, the page says why nothing was changed, and keeps the typed text', async () => {
    const name = `cora-${size}`
    const { person_id } = await owner(name)
    await using one = await visit({ account: name }, { size })
    const { page } = one
    await one.open('/console/settings')
    await makeStale(person_id)
    await page.getByRole('button', { name: 'Change address' }).click()
    await page.getByRole('textbox', { name: 'Email address' }).fill(`${name}@new.example`)
    one.allow(/status of 403/)
    await page.getByRole('button', { name: 'Send link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await dialog.waitFor()
    await one.looksRight()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('this needs a sign-in of the last 10 minutes').waitFor()
    const typed = await page.getByRole('textbox', { name: 'Email address' }).inputValue()
    expect(typed).toBe(`${name}@new.example`)
    await page.getByRole('button', { name: 'Send link' }).click()
    await dialog.getByLabel('Password', { exact: true }).fill('not the password')
    await page.keyboard.press('Enter')
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(`Open the link that was mailed to ${name}@new.example`).waitFor()
    await one.open(await linkTo(`${name}@new.example`, 'confirm-address'))
    await one.looksRight()
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByText('Confirmed. You sign in with it').waitFor()
    await page.getByText(`${name}@new.example`).first().waitFor()
    await one.isClean()
  })
})
