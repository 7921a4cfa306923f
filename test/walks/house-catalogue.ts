// The console over a catalogue of an operator's own: the first catalogue with one more server, its two models, and a real provider.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'

/** The key of the server. */
export const SECRET = 'key-of-the-attic-1'
const ATTIC = `
[[providers]]
name = "attic"
protocol = "openai"
base_url = "http://127.0.0.1:9/v1"
api_keys = ["${SECRET}"] # of the attic

[[models]]
id = "house-model"
kind = "text"
routes = [{ provider = "attic", model = "qwen3:8b" }]
price = { input = 0.05, output = 0.20 }

[[models]]
id = "tiered-model"
kind = "text"
routes = [{ provider = "attic", model = "qwen3:8b" }]
price = { input = 1, output = 4, service_tiers = { priority = 2, flex = { input = 0.5, output = 2 } } }
`
const GOOGLE = `
[[providers]]
name = "google"
protocol = "gemini"
base_url = "https://generativelanguage.googleapis.com"
api_keys = ["key-of-google"]
`

/**
 * A gateway with that catalogue, which is stopped after the file's last test.
 * @param more sections of the catalogue
 */
export async function houseConsole(more = '') {
  const scene = await fileConsole({ catalogue: FIRST_CATALOGUE + GOOGLE + ATTIC + more })
  /** The catalogue's text on the disk. */
  const file = () => readFileSync(join(scene.gateway.data_folder, 'tollgate.toml'), 'utf8')
  return { ...scene, file }
}
