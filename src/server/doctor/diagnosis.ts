// The three kinds of diagnoses, and what a check is given.
import type { Environment } from '../../config/providers.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import type { Diagnosis } from '../../surface/doctor.ts'

export interface Patient {
  data_folder: string
  env: Environment
  /** Milliseconds since 1970. */
  now: () => number
}

/** What is checked once the catalogue could be read. */
export interface ReadPatient extends Patient {
  catalogue: Catalogue
}

export const ok = (check: string, found: string): Diagnosis => ({ check, level: 'ok', found, advice: null })

export const warn = (check: string, found: string, advice: string): Diagnosis => ({
  check,
  level: 'warn',
  found,
  advice,
})

export const fail = (check: string, found: string, advice: string): Diagnosis => ({
  check,
  level: 'fail',
  found,
  advice,
})

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Such as `1.2 GB`, in powers of 1,000, as the console has it. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const number = bytes / 1_000 ** power
  return `${power === 0 ? number : number.toFixed(1)} ${UNITS[power]}`
}
