// A change in the text of the catalogue file as a person makes it: they select the words and type others.
import type { Locator } from 'playwright-core'

/**
 * Replaces the first occurrence of some words. To fill in the whole text anew would cost the browser two seconds of CPU.
 *
 * @param found the words to replace
 */
export async function changeText(text: Locator, found: string, by: string): Promise<void> {
  const at = (await text.inputValue()).indexOf(found)
  if (at < 0) throw new Error(`the text has no ${found}`)
  await text.focus()
  await text.evaluate((area, [from, to]) => (area as unknown as Selectable).setSelectionRange(from, to), [
    at,
    at + found.length,
  ] as const)
  await text.page().keyboard.insertText(by)
}

/** The method of a browser's `HTMLTextAreaElement`. */
interface Selectable {
  setSelectionRange(from: number, to: number): void
}
