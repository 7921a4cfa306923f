// Theme of the pages: the system's, or the one that the user chose in this browser.
import { readLocal, writeLocal } from './browser-storage.ts'
import { createNotifier } from './notifier.ts'

export const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
export type Theme = (typeof THEMES)[number]['value']

const KEY = 'tollgate-theme'

export function chosenTheme(): Theme {
  const stored = readLocal(KEY)
  return THEMES.find(({ value }) => value === stored)?.value ?? 'system'
}

/** Applies a theme, and stores it for the next visit. */
export function chooseTheme(theme: Theme): void {
  writeLocal(KEY, theme)
  applyTheme()
  choices.notify()
}

export function applyTheme(): void {
  const theme = chosenTheme()
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

const choices = createNotifier()

/** Calls `listen` when the user or the system changes the theme: canvases must be painted again. @returns the function that stops listening */
export function onThemeChange(listen: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const stop = choices.on(listen)
  system.addEventListener('change', listen)
  return () => {
    stop()
    system.removeEventListener('change', listen)
  }
}
