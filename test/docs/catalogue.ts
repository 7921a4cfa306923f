// The catalogue of a first start, with the methods of the native API that the operator has to switch on.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../data/tollgate.example.toml'), 'utf8')

/** @param more further sections */
export const documentedCatalogue = (more = ''): string =>
  `${EXAMPLE}\n[native]\nextra_methods = true\n${more}`
