// Selects the kind of provider in the console's form for a new provider.
import type { Page } from 'playwright-core'

/** @param title the beginning of the option's title */
export async function chooseProvider(page: Page, title: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Provider' }).click()
  await page.getByRole('option', { name: new RegExp(`^${title}`) }).click()
}
