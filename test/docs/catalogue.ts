// The catalogue of a first start, with features that the operator switches on: further methods of the native API, and public pages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../data/tollgate.example.toml'), 'utf8')

/** @param more further sections */
export const documentedCatalogue = (more = ''): string =>
  `${EXAMPLE}\n[native]\nextra_methods = true\n\n[site]\nenabled = true\n${more}`
