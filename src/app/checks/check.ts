// The three levels of a diagnosis, and what a check gets to examine.
import type { Environment } from '../../catalogue/providers.ts'
import type { Catalogue, StorageSettings } from '../../domain/catalogue.ts'
import type { Diagnosis } from '../surface/diagnosis.ts'

export interface Patient {
  data_folder: string
  /** Where rows and files are; undefined if that cannot be read, which the check of the catalogue reports. */
  storage: StorageSettings | undefined
  env: Environment
  /** Milliseconds since 1970. */
  now: () => number
}

/** For checks that need the catalogue. */
export interface ReadPatient extends Patient {
  catalogue: Catalogue
}

/** The three kinds of diagnoses of a check. */
export const diagnosesOf = (check: string) => ({
  ok: (found: string): Diagnosis => ({ check, level: 'ok', found, advice: null }),
  warn: (found: string, advice: string): Diagnosis => ({ check, level: 'warn', found, advice }),
  fail: (found: string, advice: string): Diagnosis => ({ check, level: 'fail', found, advice }),
})
