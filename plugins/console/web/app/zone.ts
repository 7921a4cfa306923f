// Time zone of all times and days on a page: the viewer's, or UTC, as chosen in this browser.
import { useSyncExternalStore } from 'react'
import { setZone, zoneName } from '../parts/time-words.ts'
import { readLocal, writeLocal } from './browser-storage.ts'
import { createNotifier } from './notifier.ts'

export const ZONES = [
  { value: 'viewer', label: 'Your time zone' },
  { value: 'utc', label: 'UTC' },
] as const
export type ZoneChoice = (typeof ZONES)[number]['value']

const KEY = 'tollgate-zone'

export const chosenZone = (): ZoneChoice =>
  ZONES.find(({ value }) => value === readLocal(KEY))?.value ?? 'viewer'

/** Applies a zone, and stores it for the next visit. */
export function chooseZone(choice: ZoneChoice): void {
  writeLocal(KEY, choice)
  applyZone(choice)
  choices.notify()
}

/** Applies a zone; by default the chosen one. */
export const applyZone = (choice = chosenZone()): void => setZone(choice === 'utc' ? 'UTC' : undefined)

const choices = createNotifier()

/** Returns the name of the current zone, `Europe/Berlin`, and renders the component again when the user chooses another. */
export const useZone = (): string => useSyncExternalStore(choices.on, zoneName)

/** Labels days with their zone if it is UTC: "From day", "From day (UTC)". */
export const inZone = (label: string): string => (zoneName() === 'UTC' ? `${label} (UTC)` : label)
