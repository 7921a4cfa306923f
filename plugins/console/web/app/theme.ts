// The theme: the system's, or the one that was chosen, kept in this browser.
import { keepIn, keptIn } from './kept.ts'
import { createNotifier } from './notifier.ts'

export const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
export type Theme = (typeof THEMES)[number]['value']

const KEY = 'tollgate-theme'

/** The theme that was chosen in this browser. */
export function chosenTheme(): Theme {
  const kept = keptIn(KEY)
  return THEMES.find(({ value }) => value === kept)?.value ?? 'system'
}

/** Chooses a theme, for now and for the next visit. */
export function chooseTheme(theme: Theme): void {
  keepIn(KEY, theme)
  applyTheme()
  choices.notify()
}

/** Puts the chosen theme in force. */
export function applyTheme(): void {
  const theme = chosenTheme()
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

const choices = createNotifier()

/** Calls `listen` when the theme changes, by choice or by the system: canvases are painted again. @returns how to stop */
export function onThemeChange(listen: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const stop = choices.on(listen)
  system.addEventListener('change', listen)
  return () => {
    stop()
    system.removeEventListener('change', listen)
  }
}
