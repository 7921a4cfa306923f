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
