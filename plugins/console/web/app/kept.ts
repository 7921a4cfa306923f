// What this browser keeps: choices for good, drafts until the tab is closed or somebody signs out.
import { gatewayPath } from './place.ts'

function ifItCan<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    // Storage is switched off, or full: choices and drafts last as long as their page.
    return null
  }
}

/** What is kept for good under a name; null if nothing is. */
export const keptIn = (name: string): string | null => ifItCan(() => localStorage.getItem(name))
export const keepIn = (name: string, text: string): void =>
  void ifItCan(() => localStorage.setItem(name, text))

/** Somebody has signed out: what this page still does until it is loaded anew, such as drawing an answer, is not kept. */
let is_forgotten = false

/** A gateway below another path of this host has drafts of its own. */
const nameHere = (name: string): string => gatewayPath() + name

/** What this tab keeps under a name; null if it keeps nothing. */
export const keptInTab = (name: string): string | null =>
  ifItCan(() => sessionStorage.getItem(nameHere(name)))
export function keepInTab(name: string, text: string): void {
  if (!is_forgotten) ifItCan(() => sessionStorage.setItem(nameHere(name), text))
}

export const dropFromTab = (name: string): void =>
  void ifItCan(() => sessionStorage.removeItem(nameHere(name)))

/** Whoever signs in next finds nothing of what was here. The page must be loaded anew after it. */
export function forgetTab(): void {
  is_forgotten = true
  ifItCan(() => sessionStorage.clear())
}
