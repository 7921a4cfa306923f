// The three kinds of diagnoses, and what a check is given.
import type { Environment } from '../../config/providers.ts'
import type { Catalogue, StorageSettings } from '../../domain/catalogue.ts'
import type { Diagnosis } from '../../surface/diagnosis.ts'

export interface Patient {
  data_folder: string
  /** Where rows and files are; undefined where that cannot be read, which is the catalogue's finding. */
  storage: StorageSettings | undefined
  env: Environment
  /** Milliseconds since 1970. */
  now: () => number
}

/** What is checked once the catalogue could be read. */
export interface ReadPatient extends Patient {
  catalogue: Catalogue
}

/** The three kinds of diagnoses of a check. */
export const diagnosesOf = (check: string) => ({
  ok: (found: string): Diagnosis => ({ check, level: 'ok', found, advice: null }),
  warn: (found: string, advice: string): Diagnosis => ({ check, level: 'warn', found, advice }),
  fail: (found: string, advice: string): Diagnosis => ({ check, level: 'fail', found, advice }),
})

/** A finding of either engine, and what to do about it. */
export const NO_TABLES = [
  'it has no tables',
  'The first start creates them. If it had tables before, stop the gateway and restore a backup.',
] as const
