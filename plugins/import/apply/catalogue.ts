// Additions of an import to the catalogue: appended to its text, checked as a whole, saved like any other change.
import { existsSync, readFileSync } from 'node:fs'
import { type DataFolder, requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { configurationOf, savedWords } from '../../../src/app/commands/configuration.ts'
import { sharedOfFolder } from '../../../src/app/process/shared-catalogue.ts'
import { ensureCatalogue } from '../../../src/catalogue/first.ts'
import { readCatalogue } from '../../../src/catalogue/load.ts'
import type { Mistake } from '../../../src/catalogue/mistakes.ts'
import { replaceFile } from '../../../src/catalogue/placed-text.ts'
import { readToml, type TomlTable } from '../../../src/catalogue/toml.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { conflict, unprocessable } from '../../../src/domain/errors.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import type { MoveIn } from '../move-in.ts'
import {
  newProviders,
  type PlannedCatalogue,
  type PlannedLimit,
  planCatalogue,
  withBlocks,
  withoutMistakes,
} from '../plan/catalogue.ts'
import { type PlannedVariables, planVariables } from './env-file.ts'

/** The initial text for a folder without a catalogue. It has no demo of the simulator. */
const EMPTY_CATALOGUE = `# The catalogue: providers, models, prices, limits and the server's settings.
#
# Tollgate reloads this file when it changes. \`tollgate config check\` finds mistakes. data/README.md of the
# distribution describes every setting, and data/tollgate.example.toml shows them.

[server]
listen = "127.0.0.1:8080"
`

/** The catalogue before the import. */
interface CatalogueState {
  readonly text: string
  readonly values: TomlTable
  /** The catalogue in force; without models if none is in force. */
  readonly catalogue: Pick<Catalogue, 'models'>
  check(text: string, variables: PlannedVariables): Promise<Checked>
  /** @returns the sentence for the operator */
  save(text: string, variables: PlannedVariables): Promise<string>
}

interface Checked {
  readonly mistakes: readonly Mistake[]
  /** The catalogue that would be in force; undefined if there are mistakes. */
  readonly catalogue: Catalogue | undefined
}

export interface CatalogueImport {
  readonly plan: PlannedCatalogue
  /** The catalogue after the import is saved. */
  readonly catalogue: Pick<Catalogue, 'models'>
  readonly variables: PlannedVariables
  /** @returns the sentence for the operator; undefined if nothing was added */
  save(): Promise<string | undefined>
}

interface ImportedCatalogue {
  move_in: Pick<MoveIn, 'providers' | 'models' | 'price_groups'>
  limits: readonly PlannedLimit[]
  /** The name of the import. */
  source: string
  /** The path of the file of variables. */
  env_path: string
}

/**
 * Plans the additions to the catalogue. Leaves out each block with a mistake.
 * @throws GatewayError unprocessable if the catalogue itself has mistakes
 */
export async function prepareCatalogue(
  folder: DataFolder,
  deps: CliDeps,
  { move_in, limits, source, env_path }: ImportedCatalogue,
): Promise<CatalogueImport> {
  const state = (await emptyState(folder, deps)) ?? (await existingState(folder, deps, source))
  const used = new Set([...state.text.matchAll(/env:(\w+)/g)].map(([, name = '']) => name))
  const variables = planVariables(
    env_path,
    deps.env,
    { providers: newProviders(state.values, move_in) },
    used,
  )
  const textOf = (plan: PlannedCatalogue) => withBlocks(state.text, plan, `Imported from ${source}`)
  let plan = planCatalogue(state.values, move_in, limits, (name) => variables.names.get(name) ?? name)
  for (;;) {
    // Skips the check: a catalogue without models may not pass it yet.
    if (isEmpty(plan)) return { plan, variables, catalogue: state.catalogue, save: async () => undefined }
    const { mistakes, catalogue } = await state.check(textOf(plan), variables)
    if (catalogue) return { plan, variables, catalogue, save: () => state.save(textOf(plan), variables) }
    const less = withoutMistakes(plan, state.values, mistakes)
    if (!less) throw refusedBy(mistakes)
    plan = less
  }
}

const isEmpty = ({ providers, models, limits, price_groups }: PlannedCatalogue): boolean =>
  providers.length + models.length + limits.length + price_groups.length === 0

function refusedBy([mistake]: readonly Mistake[]) {
  const words = mistake ? `${mistake.path} ${mistake.message}` : 'it has a mistake'
  return unprocessable(`The imported catalogue would have mistakes: ${words}. Nothing was imported.`)
}

/**
 * The state of a folder without a catalogue, or with a file that only says where the database is.
 * @returns undefined if the file or the database has providers or models, or if the file is not TOML
 */
async function emptyState(folder: DataFolder, { env }: CliDeps): Promise<CatalogueState | undefined> {
  const path = folder.catalogue_path
  const exists = existsSync(path)
  const text = exists ? readFileSync(path, 'utf8') : EMPTY_CATALOGUE
  const read = readToml(text)
  if (!read.ok || read.value.providers !== undefined || read.value.models !== undefined) return undefined
  if (exists && (await sharedOfFolder(folder, env))) return undefined
  return {
    text,
    values: read.value,
    catalogue: { models: new Map() },
    async check(changed, { values }) {
      const reading = readCatalogue(changed, { env: values, protocols: BUILT_IN_REGISTRY })
      return reading.ok
        ? { mistakes: [], catalogue: reading.catalogue }
        : { mistakes: reading.mistakes, catalogue: undefined }
    },
    async save(changed) {
      if (exists ? readFileSync(path, 'utf8') !== text : !(await ensureCatalogue(path, changed)))
        throw conflict(`${path} changed during the import. Run the import again. Imported rows stay.`)
      if (exists) await replaceFile(path, changed)
      return `Written to ${path}.`
    },
  }
}

async function existingState(folder: DataFolder, deps: CliDeps, source: string): Promise<CatalogueState> {
  const { catalogue } = await requireCatalogue(folder)
  const withVariables = ({ values, names }: PlannedVariables) =>
    configurationOf(folder, catalogue, { env: values, now: deps.now }, new Set(names.values()))
  const { text, values, hash } = await configurationOf(folder, catalogue, deps).read()
  if (text === null || values === null)
    throw conflict('Somebody else is changing the catalogue. Nothing was imported; try again.')
  return {
    text,
    values,
    catalogue,
    check: (changed, variables) => withVariables(variables).check({ text: changed }),
    async save(changed, variables) {
      const saved = await withVariables(variables).save({ text: changed }, hash, `command:import ${source}`)
      return savedWords(folder, saved)
    },
  }
}
