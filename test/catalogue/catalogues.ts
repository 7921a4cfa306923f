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

/** A catalogue of one provider with a key, and one model whose price has a comment. */
export const acmeText = (api_key: string) => `[[providers]]
name = "acme"
protocol = "openai"
base_url = "https://acme.example/v1"
api_keys = ["${api_key}"]

[[models]]
id = "flash"
kind = "text"
routes = [{ provider = "acme", model = "flash" }]
price = { input = 1, output = 2 } # ours
`

export const read = (text: string, env: Environment = {}): CatalogueReading =>
  readCatalogue(text, { env, protocols: BUILT_IN_REGISTRY })

/** A correct text, with its warnings. */
export function readGood(text: string, env: Environment = {}) {
  const reading = read(text, env)
  if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes, null, 2))
  return reading
}

/** The catalogue of a correct text. */
export const catalogueOf = (text: string, env: Environment = {}) => readGood(text, env).catalogue

/** The text model "m" of a correct text. */
export function textModelIn(text: string) {
  const model = catalogueOf(text).models.get('m')
  if (model?.kind !== 'text') throw new Error('no text model')
  return model
}

/** The mistakes of a text, as `line path: message`. */
export function mistakesOf(text: string, env: Environment = {}): string[] {
  const reading = read(text, env)
  return reading.ok ? [] : reading.mistakes.map(({ line, path, message }) => `${line} ${path}: ${message}`)
}
