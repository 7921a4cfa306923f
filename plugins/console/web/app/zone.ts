// The time zone of every time and day on a page: the viewer's, or UTC, as chosen in this browser.
import { useSyncExternalStore } from 'react'
import { setZone, zoneName } from '../parts/time-words.ts'
import { keepIn, keptIn } from './kept.ts'
import { createNotifier } from './notifier.ts'

export const ZONES = [
  { value: 'viewer', label: 'Your time zone' },
  { value: 'utc', label: 'UTC' },
] as const
export type ZoneChoice = (typeof ZONES)[number]['value']

const KEY = 'tollgate-zone'

/** The zone that was chosen in this browser. */
export const chosenZone = (): ZoneChoice =>
  ZONES.find(({ value }) => value === keptIn(KEY))?.value ?? 'viewer'

/** Chooses a zone, for now and for the next visit. */
export function chooseZone(choice: ZoneChoice): void {
  keepIn(KEY, choice)
  applyZone(choice)
  choices.notify()
}

/** Puts a zone in force: the chosen one. */
export const applyZone = (choice = chosenZone()): void => setZone(choice === 'utc' ? 'UTC' : undefined)

const choices = createNotifier()

/** The name of the zone in force, `Europe/Berlin`; the component is drawn again when another is chosen. */
export const useZone = (): string => useSyncExternalStore(choices.on, zoneName)

/** A label of days in the zone in force: "From day", "From day (UTC)". A viewer knows their own zone. */
export const inZone = (label: string): string => (zoneName() === 'UTC' ? `${label} (UTC)` : label)
