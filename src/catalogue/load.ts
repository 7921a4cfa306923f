// Reads the catalogue's text into a catalogue, or all of its mistakes.
import type { Static, TSchema } from '@sinclair/typebox'
import type { Catalogue, Endpoint, Model, Provider } from '../domain/catalogue.ts'
import { LONG_CONTEXT, REQUEST_FEE, SERVICE_TIER } from '../domain/extras.ts'
import type { KnownServer } from '../domain/servers/known-server.ts'
import { KNOWN_SERVERS } from '../domain/servers/table.ts'
import { checkBrand } from './brand.ts'
import { warnOfCacheReads } from './cache-reads.ts'
import { ratesBelowCost } from './costs.ts'
import type { ReadKeyFile } from './key-files.ts'
import { type Mistake, Mistakes, type Report, unknown, validate } from './mistakes.ts'
import { readModel, unlessDisabled, validateModel } from './models.ts'
import { mergeMachine } from './of-the-machine.ts'
import { readPriceGroups } from './price-groups.ts'
import { hasKind, type ProtocolFacts, type Protocols } from './protocols.ts'
import { type Environment, readProvider } from './providers.ts'
import { type ModelText, outlineSchema, providerSchemaFor } from './schema.ts'
import { SECTION_SCHEMAS } from './section-schemas.ts'
import { addedSections, type SectionContext } from './sections.ts'
import { checkServer } from './server-check.ts'
import { readStorage } from './storage.ts'
import { readToml, type TomlDocument, type TomlTable } from './toml.ts'

/** `warnings`: disabled or suspicious parts of a valid file. */
export type CatalogueReading =
  | { ok: true; catalogue: Catalogue; warnings: Mistake[] }
  | { ok: false; mistakes: Mistake[] }

export interface ReadOptions {
  /** The variables for `env:NAME`. */
  env: Environment
  /** The protocols of providers. */
  protocols: Protocols
  /** Reads key files; if absent, they count as unreadable. */
  read_key_file?: ReadKeyFile
  /** The time of the text's last change, the default date of models; 0 if unknown. */
  changed_at_ms?: number
  /** The file of the machine, if the text is in the database: it has the machine's settings. */
  machine?: TomlDocument | undefined
}

/** The options for a file, which determines the others. */
export type FileReadOptions = Omit<ReadOptions, 'changed_at_ms' | 'read_key_file' | 'machine'>

/**
 * Reads the text of a catalogue file.
 *
 * @returns the catalogue, or all mistakes in the order of lines
 */
export function readCatalogue(text: string, options: ReadOptions): CatalogueReading {
  const read = readToml(text)
  if (!read.ok) return { ok: false, mistakes: [notToml(read)] }
  const document = options.machine ? mergeMachine(read, options.machine) : read
  const mistakes = new Mistakes(document)
  const warnings = new Mistakes(document)
  const catalogue = readDocument(document, { ...options, warn: warnings.report }, mistakes.report)
  return catalogue && mistakes.list.length === 0
    ? { ok: true, catalogue, warnings: warnings.list }
    : { ok: false, mistakes: mistakes.list }
}

export const notToml = ({ line, message }: { line: number; message: string }): Mistake => ({
  path: '',
  line,
  message: `is not TOML: ${message}`,
})

/** Reads part by part, so that each valid part is checked against the others even if some have mistakes. */
function readDocument(
  { value }: TomlDocument,
  options: ReadOptions & { warn: Report },
  report: Report,
): Catalogue | undefined {
  const { protocols, changed_at_ms = 0 } = options
  const outline = validate(outlineSchema(), value, [], report)
  const texts = readSections(value, report)
  const { server } = texts
  const storage = texts.storage && readStorage(texts.storage, { ...options, report })
  if (server) checkServer(server, { ...options, report })
  if (texts.brand) checkBrand(texts.brand, { ...options, report })
  const { providers, disabled } = readProviders(listOf(value.providers), options, report)
  const models = readModels(
    listOf(value.models),
    { names: namesOf(value.providers), providers, disabled, protocols, changed_at_ms, warn: options.warn },
    report,
  )
  for (const name of disabled.keys()) providers.delete(name)
  const price_groups = readPriceGroups(listOf(value.price_groups), { models, report, warn: options.warn })
  const of_plugins = readAddedSections(value, { ...options, server, file: value, report })
  const sections = allOf({ ...texts, storage })
  if (!outline || !sections || !of_plugins) return undefined
  return { ...sections, ...of_plugins, providers, models, price_groups }
}

type SectionSchemas = typeof SECTION_SCHEMAS
type SectionTexts = { [Name in keyof SectionSchemas]: Static<SectionSchemas[Name]> | undefined }

/** Reads the sections with their defaults; a section with a mistake is undefined. */
function readSections(value: TomlTable, report: Report): SectionTexts {
  const texts = Object.entries(SECTION_SCHEMAS).map(([name, schema]) => {
    const text = validate<TSchema>(schema, value[name] ?? {}, [name], report)
    return [name, text] as const
  })
  return Object.fromEntries(texts) as SectionTexts
}

/** Reads the settings of plugins and their secrets; undefined if a section does not match its schema. */
function readAddedSections(
  value: TomlTable,
  context: SectionContext,
): Pick<Catalogue, 'sections' | 'section_secrets'> | undefined {
  const sections = new Map<string, unknown>()
  for (const section of addedSections()) {
    const text = validate<TSchema>(section.schema, value[section.name] ?? {}, [section.name], context.report)
    if (text !== undefined) sections.set(section.name, section.read(text, context))
  }
  const added = addedSections()
  if (sections.size < added.length) return undefined
  return { sections, section_secrets: added.flatMap((section) => section.secretsOf({ sections })) }
}

/** Returns the parts if none is undefined. */
function allOf<T extends object>(parts: T): { [Name in keyof T]: Exclude<T[Name], undefined> } | undefined {
  if (Object.values(parts).includes(undefined)) return undefined
  return parts as { [Name in keyof T]: Exclude<T[Name], undefined> }
}

interface Providers {
  /** All readable providers. */
  providers: Map<string, Provider>
  /** The missing environment variables of each disabled provider. */
  disabled: Map<string, readonly string[]>
}

function readProviders(parts: unknown[], options: ReadOptions & { warn: Report }, report: Report): Providers {
  const schema = providerSchemaFor(options.protocols)
  const providers = new Map<string, Provider>()
  const disabled = new Map<string, readonly string[]>()
  parts.forEach((part, index) => {
    const path = ['providers', index]
    const text = validate(schema, part, path, report)
    if (!text) return
    if (providers.has(text.name))
      report([...path, 'name'], `must be unique: there is already a provider "${text.name}"`)
    const { provider, missing } = readProvider(text, path, { read_key_file: noKeyFiles, ...options, report })
    providers.set(text.name, provider)
    if (missing.length > 0) disabled.set(text.name, missing)
  })
  return { providers, disabled }
}

const noKeyFiles: ReadKeyFile = () => ({ unreadable: 'files are not read here' })

/** The providers that routes may name: all names in the file, and the readable providers. */
interface Suppliers {
  names: string[]
  providers: ReadonlyMap<string, Provider>
  disabled: ReadonlyMap<string, readonly string[]>
  protocols: Protocols
  changed_at_ms: number
  warn: Report
}

function readModels(parts: unknown[], suppliers: Suppliers, report: Report): Map<string, Model> {
  const models = new Map<string, Model>()
  parts.forEach((part, index) => {
    const path = ['models', index]
    const text = validateModel(part, path, report)
    if (!text) return
    if (models.has(text.id)) report([...path, 'id'], `must be unique: there is already a model "${text.id}"`)
    checkRoutes(text, index, suppliers, report)
    if (text.kind === 'text') checkExtras(text, index, suppliers, report)
    const model = readModel(text, { path, changed_at_ms: suppliers.changed_at_ms }, report)
    warnOfCosts(text, model, index, suppliers.warn)
    warnOfCacheReads(text, model, index, suppliers.warn)
    models.set(text.id, unlessDisabled(model, suppliers.disabled))
  })
  return models
}

function checkRoutes({ kind, routes }: ModelText, model: number, suppliers: Suppliers, report: Report): void {
  const { names, providers, protocols } = suppliers
  routes.forEach(({ provider, endpoint, generation }, route) => {
    const path = ['models', model, 'routes', route, 'provider']
    if (!names.includes(provider)) report(path, unknown(`provider "${provider}"`, provider, names))
    const protocol_name = providers.get(provider)?.protocol
    const protocol = protocol_name === undefined ? undefined : protocols.get(protocol_name)
    if (protocol && !hasKind(protocol, kind))
      report(path, `must be a provider of another protocol: "${protocol_name}" has no ${kind} models`)
    if (kind === 'embedding' && knownServer(providers.get(provider))?.lacks_embeddings)
      report(path, 'must be another provider: its server has no embeddings in this form')
    const problem = endpoint && endpointProblem(endpoint, kind, providers.get(provider), protocol)
    if (problem) report(['models', model, 'routes', route, 'endpoint'], problem)
    if (generation !== undefined && kind !== 'text' && kind !== 'image')
      report(['models', model, 'routes', route, 'generation'], 'is for text and image models only')
  })
}

const knownServer = (provider: Provider | undefined): KnownServer | undefined =>
  provider?.server === undefined ? undefined : KNOWN_SERVERS.get(provider.server)

const FOR_TEXT = 'is for text models only'

/** Returns the mistake in a route's endpoint; undefined if none exists, or the provider is unknown. */
function endpointProblem(
  endpoint: Endpoint,
  kind: Model['kind'],
  provider: Provider | undefined,
  protocol: ProtocolFacts | undefined,
): string | undefined {
  if (kind !== 'text') return FOR_TEXT
  if (protocol && !protocol.speaksResponses) return 'is for providers with protocol = "openai" only'
  if (endpoint === 'responses' && provider?.responses === false)
    return 'needs a provider that speaks the Responses API: set its responses = true'
  return undefined
}

/** Warns of routes that cost more than the price. A model's routes may be in another order than in the file. */
function warnOfCosts(text: ModelText, { price, routes }: Model, model: number, warn: Report): void {
  for (const { provider, model: upstream_model, cost } of routes) {
    const below = cost ? ratesBelowCost(price, cost) : []
    if (below.length === 0) continue
    const route = text.routes.findIndex(
      (each) => each.provider === provider && each.model === upstream_model && each.cost !== undefined,
    )
    warn(
      ['models', model, 'routes', route, 'cost'],
      `is above the model's price, so that its calls lose money: ${below.join(', ')}. Raise the price, or correct the cost`,
    )
  }
}

/** Checks that some provider of the model may bill each extra, and that extras priced by unit are counted in units. */
function checkExtras(
  { routes, price }: Extract<ModelText, { kind: 'text' }>,
  model: number,
  { providers, protocols }: Suppliers,
  report: Report,
): void {
  if (!price.extras) return
  const units: Record<string, string | null> = {}
  for (const { provider } of routes)
    Object.assign(units, protocols.get(providers.get(provider)?.protocol ?? '')?.text?.extras?.units)
  const names = Object.keys(units)
  for (const [name, extra] of Object.entries(price.extras)) {
    const path = ['models', model, 'price', 'extras', name]
    if (name === SERVICE_TIER)
      report(path, 'is priced by tier: write [models.price.service_tiers], such as priority = 2.0')
    else if (name === LONG_CONTEXT)
      report(
        path,
        'is no extra: leave it out. Longer prompts pass where tiers, or a context above 200000, price them',
      )
    else if (isFee(extra) !== (name === REQUEST_FEE)) report(path, FEE_MUST)
    else if (names.length > 0 && !names.includes(name) && name !== REQUEST_FEE)
      report(path, unknown('extra', name, [...names, REQUEST_FEE]))
    else if (typeof extra === 'object' && 'per_unit' in extra && units[name] === null)
      report(path, 'must be a price per call: its providers count no units of it')
  }
}

const isFee = (extra: unknown): boolean =>
  typeof extra === 'object' && extra !== null && 'per_request' in extra
const FEE_MUST =
  'must be request = { per_request = 0.005 }: what every call pays has that name, and no other extra is by request'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * Returns the names in the file, including providers with mistakes, so that a route to one is not a second mistake.
 */
const namesOf = (value: unknown): string[] => {
  const names = listOf(value).flatMap((part) => {
    const name = typeof part === 'object' && part !== null ? Reflect.get(part, 'name') : undefined
    return typeof name === 'string' ? [name] : []
  })
  return [...new Set(names)]
}
