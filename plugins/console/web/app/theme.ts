// The theme: the system's, or the one that was chosen, kept in this browser.
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'tollgate-theme'

/** The theme that was chosen in this browser. */
export function chosenTheme(): Theme {
  const kept = keptIn(KEY)
  return THEMES.find((theme) => theme === kept) ?? 'system'
}

/** Chooses a theme, for now and for the next visit. */
export function chooseTheme(theme: Theme): void {
  keepIn(KEY, theme)
  applyTheme()
  for (const hear of hearers) hear()
}

/** Puts the chosen theme in force. */
export function applyTheme(): void {
  const theme = chosenTheme()
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

const hearers = new Set<() => void>()

/** Calls `hear` when the theme changes, by choice or by the system; canvases must be drawn again. @returns how to stop */
export function onThemeChange(hear: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  hearers.add(hear)
  system.addEventListener('change', hear)
  return () => {
    hearers.delete(hear)
    system.removeEventListener('change', hear)
  }
}

/** What this browser keeps under a name; null where nothing is, or where it keeps nothing at all. */
export function keptIn(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // Storage is switched off in this browser: the choice lasts as long as the page.
    return null
  }
}

/** Keeps a choice in this browser. */
export function keepIn(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage is switched off or full: the choice lasts as long as the page.
  }
}
