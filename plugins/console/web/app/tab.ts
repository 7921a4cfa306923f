// What this tab keeps until it is closed or somebody signs out: drafts.

/** What is kept under a name; null where nothing is, or where this browser keeps nothing at all. */
export function keptInTab(name: string): string | null {
  try {
    return sessionStorage.getItem(name)
  } catch {
    // Storage is switched off in this browser.
    return null
  }
}

export function keepInTab(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text)
  } catch {
    // Storage is switched off or full: a draft lasts as long as its page.
  }
}

/** Whoever signs in next finds nothing of what was here. */
export function forgetTab(): void {
  try {
    sessionStorage.clear()
  } catch {
    // Storage is switched off: nothing was kept.
  }
}
