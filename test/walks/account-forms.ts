// The pages of accounts and keys in one visit of an operator, with the actions of a user on their forms.
import { expect } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'

/** A gateway without accounts, and the page of its operator, which all tests of the file share. */
export async function accountForms(catalogue = FIRST_CATALOGUE) {
  const { gateway, visit } = await fileConsole({ catalogue })
  const one = await visit('operator')
  const { page } = one
  const dialog = page.getByRole('dialog')
  // Some forms are refused on purpose.
  one.allow(/status of 4(00|04|09|22)/)
  const keyRow = (text: string) => gateway.rows().keys.find(({ prefix }) => prefix === text.slice(0, 10))

  /** Actions of a person on the page. */
  const user = {
    type: (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text),
    press: (name: string) => page.getByRole('button', { name, exact: true }).first().click(),
    enter: () => page.keyboard.press('Enter'),
    async choose(item: string) {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await dialog.waitFor()
    },
    /** Sends the form of the open dialog, which closes once the action is done. */
    async send() {
      await user.enter()
      await user.waitForClose()
    },
    waitForClose: () => dialog.waitFor({ state: 'detached' }),
    sees: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    seesFocusOn: (text: string) =>
      eventually(
        `the focus is on ${text}`,
        async () => (await page.evaluate<string>('document.activeElement.textContent')) === text,
      ),
    /** Takes a secret that is shown once: it stays until its own button is pressed, and is nowhere afterwards. */
    async takeSecret(button: string) {
      const secret = await page.locator('.secret pre').innerText()
      await page.keyboard.press('Escape')
      await page.mouse.click(5, 5)
      expect(await dialog.isVisible()).toBe(true)
      await user.press(button)
      await user.waitForClose()
      expect(await page.content()).not.toContain(secret)
      return secret
    },
  }
  return { gateway, visit, one, page, dialog, keyRow, user }
}
