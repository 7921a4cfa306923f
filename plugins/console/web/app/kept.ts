// What this browser keeps: choices for good, drafts until the tab is closed or somebody signs out.

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

/** What this tab keeps under a name; null if it keeps nothing. */
export const keptInTab = (name: string): string | null => ifItCan(() => sessionStorage.getItem(name))
export const keepInTab = (name: string, text: string): void =>
  void ifItCan(() => sessionStorage.setItem(name, text))

export const dropFromTab = (name: string): void => void ifItCan(() => sessionStorage.removeItem(name))

/** Whoever signs in next finds nothing of what was here. */
export const forgetTab = (): void => void ifItCan(() => sessionStorage.clear())
