// Storage of this browser: choices in localStorage, drafts in sessionStorage until the tab is closed or the user signs out.
import { gatewayPath } from './gateway-address.ts'

function tryStorage<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    // Storage is disabled or full: choices and drafts last as long as their page is open.
    return null
  }
}

export const readLocal = (name: string): string | null => tryStorage(() => localStorage.getItem(name))
export const writeLocal = (name: string, text: string): void =>
  void tryStorage(() => localStorage.setItem(name, text))

/** Set at sign-out: until the page is reloaded, it may still handle an answer, and must not store drafts. */
let is_cleared = false

/** Prefixes a name with the gateway's path, because another gateway may run below another path of this host. */
const nameInTab = (name: string): string => gatewayPath() + name

export const readFromTab = (name: string): string | null =>
  tryStorage(() => sessionStorage.getItem(nameInTab(name)))
export function writeToTab(name: string, text: string): void {
  if (!is_cleared) tryStorage(() => sessionStorage.setItem(nameInTab(name), text))
}

export const removeFromTab = (name: string): void =>
  void tryStorage(() => sessionStorage.removeItem(nameInTab(name)))

/** Clears this tab's storage, so that the next user finds nothing in it. The caller must reload the page. */
export function clearTab(): void {
  is_cleared = true
  tryStorage(() => sessionStorage.clear())
}
