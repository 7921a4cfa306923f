// Additions of a move-in to the catalogue: new providers, models and limits as TOML blocks after its text.
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import { type TomlValue, withDigits, writeKey, writePair } from '../../../src/catalogue/toml-write.ts'
import type { Limit } from '../../../src/domain/call-limits.ts'
import type { IncomingModel, IncomingPriceGroup, IncomingProvider, LeftOut, MoveIn } from '../move-in.ts'

export interface PlannedCatalogue {
  readonly providers: readonly PlannedProvider[]
  readonly models: readonly PlannedModel[]
  readonly limits: readonly PlannedLimit[]
  /** Groups whose names the catalogue does not have yet. */
  readonly price_groups: readonly IncomingPriceGroup[]
  /** Providers and models that the catalogue already has; they stay unchanged. */
  readonly present: { readonly providers: readonly string[]; readonly models: readonly string[] }
  readonly left_out: readonly LeftOut[]
}

interface PlannedProvider {
  readonly incoming: IncomingProvider
  /** Differs from the incoming name if the catalogue has another provider of that name. */
  readonly name: string
  readonly table: TomlBlock
}

interface PlannedModel {
  readonly incoming: IncomingModel
  readonly table: TomlBlock
}

type TomlBlock = { readonly [key: string]: TomlValue }

export interface PlannedLimit {
  /** The table below [limits]: accounts by name, keys by prefix. */
  readonly of: 'accounts' | 'keys'
  readonly name: string
  readonly limit: Limit
}

/** Returns the providers that the catalogue does not have. */
export function newProviders(
  values: TomlTable,
  { providers }: Pick<MoveIn, 'providers'>,
): IncomingProvider[] {
  const present = new Map(blocksOf(values.providers).map((block) => [String(block.name), block]))
  return providers.filter((incoming) => !present.has(nameInCatalogue(incoming, present)))
}

/** @param variableOf returns the name that a secret's variable has in the file of variables */
export function planCatalogue(
  values: TomlTable,
  { providers, models, price_groups = [] }: Pick<MoveIn, 'providers' | 'models' | 'price_groups'>,
  limits: readonly PlannedLimit[],
  variableOf: (variable: string) => string,
): PlannedCatalogue {
  const present = new Map(blocksOf(values.providers).map((block) => [String(block.name), block]))
  const names = new Map(providers.map((incoming) => [incoming.name, nameInCatalogue(incoming, present)]))
  const isPresent = ({ name }: IncomingProvider) => present.has(names.get(name) ?? name)
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

/** Providers of the same name are the same if these fields are equal. */
const ADDRESS_FIELDS = ['protocol', 'server', 'base_url', 'resource', 'region'] as const

/** Returns the name of the same provider in the catalogue, or else a free one: with a number if another server has the name. */
function nameInCatalogue(
  { name, fields }: IncomingProvider,
  present: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): string {
  const isFree = (candidate: string) => {
    const other = present.get(candidate)
    return !other || ADDRESS_FIELDS.every((field) => other[field] === fields[field])
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
 * Removes the blocks with mistakes, and lists each with its mistake as the reason.
 * @returns undefined if no mistake is in a block of the plan
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
 * Appends the plan's blocks to a text, all at once: with edits, each block would parse the whole text again.
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
