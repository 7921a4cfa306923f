// Owns reading the catalogue file: all of its mistakes at once, or the catalogue.
import { readFile } from 'node:fs/promises'
import type { Catalogue, Model, Provider } from '../domain/catalogue.ts'
import { type Mistake, Mistakes, type Report, suggest } from './mistakes.ts'
import { readModel, validateModel } from './models.ts'
import { type Environment, readProvider } from './providers.ts'
import { LimitsSchema, type ModelText, OutlineSchema, ProviderSchema, ServerSchema } from './schema.ts'
import { readToml, type TomlDocument } from './toml.ts'
import { validate } from './validate.ts'

export type CatalogueReading = { ok: true; catalogue: Catalogue } | { ok: false; mistakes: Mistake[] }

export interface ReadOptions {
  /** Where `env:NAME` is looked up. */
  env: Environment
}

/**
 * Reads the text of a catalogue file.
 *
 * @returns the catalogue, or every mistake in the order of their lines
 */
export function readCatalogue(text: string, { env }: ReadOptions): CatalogueReading {
  const document = readToml(text)
  if (!document.ok) {
    const { line, message } = document
    return { ok: false, mistakes: [{ path: '', line, message: `is not TOML: ${message}` }] }
  }
  const mistakes = new Mistakes(document)
  const catalogue = readDocument(document, env, mistakes.report)
  return catalogue && mistakes.list.length === 0
    ? { ok: true, catalogue }
    : { ok: false, mistakes: mistakes.list }
}

/** The same for the file at `path`; a file that cannot be read is a mistake too. Never throws. */
export async function readCatalogueFile(path: string, options: ReadOptions): Promise<CatalogueReading> {
  try {
    return readCatalogue(await readFile(path, 'utf8'), options)
  } catch (error) {
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    return { ok: false, mistakes: [{ path: '', line: 1, message }] }
  }
}

/** Reads part by part: each part that is right is also held against the others, whatever is wrong elsewhere. */
function readDocument({ value }: TomlDocument, env: Environment, report: Report): Catalogue | undefined {
  const outline = validate(OutlineSchema, value, [], report)
  const server = validate(ServerSchema, value.server ?? {}, ['server'], report)
  const limits = validate(LimitsSchema, value.limits ?? {}, ['limits'], report)
  const providers = readProviders(listOf(value.providers), env, report)
  const models = readModels(listOf(value.models), { names: namesOf(value.providers), providers }, report)
  return outline && server && limits && { server, limits, providers, models }
}

function readProviders(parts: unknown[], env: Environment, report: Report): Map<string, Provider> {
  const providers = new Map<string, Provider>()
  parts.forEach((part, index) => {
    const path = ['providers', index]
    const text = validate(ProviderSchema, part, path, report)
    if (!text) return
    if (providers.has(text.name))
      report([...path, 'name'], `must be unique: there is already a provider "${text.name}"`)
    providers.set(text.name, readProvider(text, path, env, report))
  })
  return providers
}

/** The names that stand in the file, and of those the providers that could be read. */
interface Suppliers {
  names: string[]
  providers: ReadonlyMap<string, Provider>
}

function readModels(parts: unknown[], suppliers: Suppliers, report: Report): Map<string, Model> {
  const models = new Map<string, Model>()
  parts.forEach((part, index) => {
    const path = ['models', index]
    const text = validateModel(part, path, report)
    if (!text) return
    if (models.has(text.id)) report([...path, 'id'], `must be unique: there is already a model "${text.id}"`)
    checkRoutes(text, index, suppliers, report)
    models.set(text.id, readModel(text, path, report))
  })
  return models
}

function checkRoutes({ kind, routes }: ModelText, model: number, suppliers: Suppliers, report: Report): void {
  const { names, providers } = suppliers
  routes.forEach(({ provider }, route) => {
    const path = ['models', model, 'routes', route, 'provider']
    if (!names.includes(provider))
      report(path, `must be the name of a provider; "${provider}" is none: ${suggest(provider, names)}`)
    if (kind !== 'text' && providers.get(provider)?.protocol === 'anthropic')
      report(path, `must be a provider of another protocol: "anthropic" has no ${kind} models`)
  })
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The names that stand in the file, those of providers with mistakes too: they are not also unknown. */
const namesOf = (value: unknown): string[] =>
  listOf(value).flatMap((part) => {
    const name = typeof part === 'object' && part !== null ? Reflect.get(part, 'name') : undefined
    return typeof name === 'string' ? [name] : []
  })
