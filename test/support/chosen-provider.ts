// The choice of a kind of provider in the form for a new one.
import type { Page } from 'playwright-core'

/** @param title the beginning of it */
export async function chooseProvider(page: Page, title: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Provider' }).click()
  await page.getByRole('option', { name: new RegExp(`^${title}`) }).click()
}
