// The part of a move-in that the catalogue gets: providers, models and limits that it does not have yet, as TOML behind its text.
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import { type TomlValue, withDigits, writeKey, writePair } from '../../../src/catalogue/toml-write.ts'
import type { Limit } from '../../../src/domain/call-limits.ts'
import type { IncomingModel, IncomingPriceGroup, IncomingProvider, LeftOut, MoveIn } from '../move-in.ts'

export interface PlannedCatalogue {
  readonly providers: readonly PlannedProvider[]
  readonly models: readonly PlannedModel[]
  readonly limits: readonly PlannedLimit[]
  /** Groups of a name that the catalogue has stay as they are there. */
  readonly price_groups: readonly IncomingPriceGroup[]
  /** Names of providers and ids of models that are there already, and stay as they are. */
  readonly present: { readonly providers: readonly string[]; readonly models: readonly string[] }
  readonly left_out: readonly LeftOut[]
}

interface PlannedProvider {
  readonly incoming: IncomingProvider
  /** Another one than the incoming where the catalogue has a different provider of that name. */
  readonly name: string
  readonly table: TomlBlock
}

interface PlannedModel {
  readonly incoming: IncomingModel
  readonly table: TomlBlock
}

type TomlBlock = { readonly [key: string]: TomlValue }

export interface PlannedLimit {
  /** Below [limits]: accounts by their names, keys by their prefixes. */
  readonly of: 'accounts' | 'keys'
  readonly name: string
  readonly limit: Limit
}

/** The providers that the catalogue does not have. */
export function newProviders(
  values: TomlTable,
  { providers }: Pick<MoveIn, 'providers'>,
): IncomingProvider[] {
  const there = new Map(blocksOf(values.providers).map((block) => [String(block.name), block]))
  return providers.filter((incoming) => !there.has(freeName(incoming, there)))
}

/** @param variableOf the environment variable that a secret of a provider has in the file of variables */
export function planCatalogue(
  values: TomlTable,
  { providers, models, price_groups = [] }: Pick<MoveIn, 'providers' | 'models' | 'price_groups'>,
  limits: readonly PlannedLimit[],
  variableOf: (variable: string) => string,
): PlannedCatalogue {
  const there = new Map(blocksOf(values.providers).map((block) => [String(block.name), block]))
  const names = new Map(providers.map((incoming) => [incoming.name, freeName(incoming, there)]))
  const isPresent = ({ name }: IncomingProvider) => there.has(names.get(name) ?? name)
  const groups = new Set(blocksOf(values.price_groups).map(({ name }) => String(name)))
  const ids = new Set(blocksOf(values.models).map(({ id }) => String(id)))
  return {
    providers: providers
      .filter((incoming) => !isPresent(incoming))
      .map((incoming) => {
        const name = names.get(incoming.name) ?? incoming.name
        return { incoming, name, table: providerBlock(incoming, name, variableOf) }
      }),
    models: models
      .filter(({ id }) => !ids.has(id))
      .map((incoming) => ({ incoming, table: modelBlock(incoming, names) })),
    limits: limits.filter(({ of, name }) => !Object.hasOwn(tableIn(tableIn(values.limits)[of]), name)),
    price_groups: price_groups.filter(({ name }) => !groups.has(name)),
    present: {
      providers: providers.filter(isPresent).map(({ name }) => names.get(name) ?? name),
      models: models.filter(({ id }) => ids.has(id)).map(({ id }) => id),
    },
    left_out: [],
  }
}

const tableIn = (value: unknown): Readonly<Record<string, unknown>> => Object(value)
const blocksOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value : []

/** Two providers of one name are the same if server and address are. */
const PLACE = ['protocol', 'server', 'base_url', 'resource', 'region'] as const

/** The name, or one with a number where the catalogue has another server under it. */
function freeName(
  { name, fields }: IncomingProvider,
  there: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): string {
  const isFree = (candidate: string) => {
    const other = there.get(candidate)
    return !other || PLACE.every((field) => other[field] === fields[field])
  }
  let free = name
  for (let number = 2; !isFree(free); number += 1) free = `${name}-${number}`
  return free
}

const providerBlock = (
  { fields, api_keys, headers }: IncomingProvider,
  name: string,
  variableOf: (variable: string) => string,
): TomlBlock => ({
  name,
  ...fields,
  api_keys: api_keys.map(({ variable }) => `env:${variableOf(variable)}`),
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([header, { variable }]) => [header, `env:${variableOf(variable)}`]),
    ),
  }),
})

function modelBlock(
  { id, fields, routes, price }: IncomingModel,
  names: ReadonlyMap<string, string>,
): TomlBlock {
  const named = routes.map(({ provider, model, generation, order, weight, cost }) => ({
    provider: names.get(provider) ?? provider,
    model,
    ...(generation === undefined ? {} : { generation }),
    ...(order === 0 ? {} : { order }),
    ...(weight === 1 ? {} : { weight }),
    ...(cost ? { cost } : {}),
  }))
  return { id, ...fields, routes: named, price }
}

/** A mistake of the text with the additions, by the path of its block. */
interface BlockMistake {
  readonly path: string
  readonly message: string
}

/**
 * The plan without the blocks that a mistake is in, which are left out with it as the reason.
 * @returns undefined where none of the mistakes is in a block of the plan
 */
export function withoutMistakes(
  plan: PlannedCatalogue,
  values: TomlTable,
  mistakes: readonly BlockMistake[],
): PlannedCatalogue | undefined {
  const reasons = { providers: new Map<number, string>(), models: new Map<number, string>() }
  for (const { path, message } of mistakes) {
    const [, kind, at] = /^(providers|models)\[(\d+)\]/.exec(path) ?? []
    if (kind !== 'providers' && kind !== 'models') continue
    const place = Number(at) - blocksOf(values[kind]).length
    if (place >= 0 && !reasons[kind].has(place))
      reasons[kind].set(place, `${path.replace(/^[^.]*\.?/, '')} ${message}`.trim())
  }
  const mistakenLimits = new Map(
    plan.limits.flatMap((limit) => {
      const path = `limits.${limit.of}.${writeKey(limit.name)}`
      const mistake = mistakes.find((each) => each.path === path || each.path.startsWith(`${path}.`))
      return mistake ? [[limit, `${mistake.path.slice(path.length + 1)} ${mistake.message}`.trim()]] : []
    }),
  )
  if (reasons.providers.size + reasons.models.size + mistakenLimits.size === 0) return undefined
  const left = (kind: string, row: string, reason: string): LeftOut => ({
    kind,
    row,
    reason: `${reason}. Add it by hand.`,
  })
  return {
    ...plan,
    providers: plan.providers.filter((_, at) => !reasons.providers.has(at)),
    models: plan.models.filter((_, at) => !reasons.models.has(at)),
    limits: plan.limits.filter((limit) => !mistakenLimits.has(limit)),
    left_out: [
      ...plan.left_out,
      ...[...reasons.providers].map(([at, reason]) =>
        left('providers', plan.providers[at]?.name ?? '', reason),
      ),
      ...[...reasons.models].map(([at, reason]) =>
        left('models', plan.models[at]?.incoming.id ?? '', reason),
      ),
      ...[...mistakenLimits].map(([{ name }, reason]) => left('rate limits', name, reason)),
    ],
  }
}

/**
 * A text with the plan's blocks behind it. They are written at once: edits would read the whole text again for each.
 * @param heading of the blocks, a comment
 */
export function withBlocks(text: string, plan: PlannedCatalogue, heading: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const blocks = [
    ...plan.providers.map(({ table }) => block('[[providers]]', table, ['providers'], eol)),
    ...plan.models.map(({ table, incoming: { notes } }) => {
      const comments = notes.map((note) => `# ${note.replaceAll(/[\r\n]+/g, ' ')}${eol}`)
      return comments.join('') + block('[[models]]', table, ['models'], eol)
    }),
    ...plan.price_groups.map(({ name, factor }) =>
      block('[[price_groups]]', { name, factor }, ['price_groups'], eol),
    ),
    ...plan.limits.map(({ of, name, limit }) =>
      block(`[limits.${of}.${writeKey(name)}]`, limit as TomlBlock, ['limits'], eol),
    ),
  ]
  if (blocks.length === 0) return text
  return `${text.trimEnd()}${eol}${eol}# ${heading}${eol}${eol}${blocks.join(eol)}`
}

function block(title: string, table: TomlBlock, path: readonly string[], eol: string): string {
  const lines = Object.entries(table).map(
    ([key, value]) => writePair(writeKey(key), withDigits(value, [...path, key]), eol) + eol,
  )
  return title + eol + lines.join('')
}
