// Catalogue files for tests: the smallest correct one, and its parts.
import { type CatalogueReading, readCatalogue } from '../../src/catalogue/load.ts'
import type { Environment } from '../../src/catalogue/providers.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'

export const PROVIDER = `
[[providers]]
name = "acme"
protocol = "gemini"
base_url = "https://acme.example/api"
api_keys = ["key-1"]
`

export const MODEL = `
[[models]]
id = "model"
kind = "text"
routes = [{ provider = "acme", model = "upstream" }]
price = { input = 1, output = 2 }
`

export const CATALOGUE = PROVIDER + MODEL

export const read = (text: string, env: Environment = {}): CatalogueReading =>
  readCatalogue(text, { env, protocols: BUILT_IN_REGISTRY })

/** The catalogue of a correct text. */
export function catalogueOf(text: string, env: Environment = {}) {
  const reading = read(text, env)
  if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes, null, 2))
  return reading.catalogue
}

/** The mistakes of a text, as `line path: message`. */
export function mistakesOf(text: string, env: Environment = {}): string[] {
  const reading = read(text, env)
  return reading.ok ? [] : reading.mistakes.map(({ line, path, message }) => `${line} ${path}: ${message}`)
}
