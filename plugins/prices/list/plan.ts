// Changes of a catalogue by a price list: differences, and the edits of the file. Pure.

import { type ExactDecimal, timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import type { Edit } from '../../../src/catalogue/edit.ts'
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import type { ListEntry } from './entry.ts'
import type { ImageLines } from './image-lines.ts'
import type { PriceList } from './list.ts'
import { type ListedProvider, listedNames, type Match, type Matcher, matcherOf } from './matches.ts'
import { type Merged, mergePrice, type NewRates, type RateChange } from './merge.ts'
import { isByImageTokens, type Kind, type Rates, ratesOf } from './rates.ts'

/** The routes to update, and the markup on their costs. */
export interface ImportChoice {
  readonly isModel: (id: string) => boolean
  /** Only routes to this provider of the catalogue; undefined: all. */
  readonly provider: string | undefined
  /** The provider in the list whose prices to use; undefined: the one that matches each provider. */
  readonly from: string | undefined
  readonly markup: ExactDecimal
}

export interface PlannedChange extends RateChange {
  readonly model: string
  /** The route of a cost; undefined for the model's price. */
  readonly cost_of: { readonly provider: string; readonly upstream: string } | undefined
}

/** A route, by the provider and its id of the model. */
interface RouteName {
  readonly model: string
  readonly provider: string
  readonly upstream: string
}

/** A route found in the list. */
interface UsedEntry extends RouteName {
  readonly entry: string
  readonly unmapped: readonly string[]
  readonly rounded: readonly string[]
  readonly kept: readonly string[]
}

/** A route that stays unchanged. `entries`: the candidates. */
export interface UnchangedRoute extends RouteName {
  readonly reason: 'not listed' | 'ambiguous' | 'no price'
  readonly entries: readonly string[]
}

/** A route with a new or different shutdown date. */
export interface PlannedShutdown extends RouteName {
  readonly old: string | null
  readonly new: string
}

export interface PricePlan {
  readonly changes: readonly PlannedChange[]
  readonly ends: readonly PlannedShutdown[]
  /** Invalid shutdown dates in the list, each with its route's model. */
  readonly unread_ends: readonly string[]
  readonly used: readonly UsedEntry[]
  readonly left: readonly UnchangedRoute[]
  /** Edits by the index of their model in the file. */
  readonly edits: ReadonlyMap<number, readonly Edit[]>
}

interface ModelBlock {
  readonly id: string
  readonly kind: Kind
  readonly price: { readonly [key: string]: TomlValue }
  readonly routes: readonly RouteBlock[]
}

interface RouteBlock {
  readonly provider: string
  readonly model: string
  readonly generation?: string
  readonly order?: number
  readonly shutdown_date?: string
  readonly cost?: TomlValue
}

/**
 * Compares a catalogue with a price list.
 *
 * @param values of a catalogue file without mistakes
 * @throws GatewayError invalid_request if a matching entry has an invalid price
 */
export function planImport(values: TomlTable, list: PriceList, choice: ImportChoice): PricePlan {
  const providers = new Map(((values.providers ?? []) as ListedProvider[]).map((each) => [each.name, each]))
  const matcher = matcherOf(list, choice.from)
  const parts = ((values.models ?? []) as ModelBlock[]).flatMap((model, at) =>
    choice.isModel(model.id) ? [{ at, ...planModel(model, at, { matcher, providers, choice }) }] : [],
  )
  return {
    changes: parts.flatMap(({ changes }) => changes),
    ends: parts.flatMap(({ ends }) => ends),
    unread_ends: parts.flatMap(({ unread_ends }) => unread_ends),
    used: parts.flatMap(({ used }) => used),
    left: parts.flatMap(({ left }) => left),
    edits: new Map(parts.flatMap(({ at, edits }) => (edits.length > 0 ? [[at, edits] as const] : []))),
  }
}

interface Planning {
  matcher: Matcher
  providers: ReadonlyMap<string, ListedProvider>
  choice: ImportChoice
}

interface ModelPlan {
  changes: PlannedChange[]
  ends: PlannedShutdown[]
  unread_ends: string[]
  used: UsedEntry[]
  left: UnchangedRoute[]
  edits: Edit[]
}

/** The price follows the cost of the first route, in order of trial, that the list has. */
function planModel(model: ModelBlock, at: number, { matcher, providers, choice }: Planning): ModelPlan {
  const plan: ModelPlan = { changes: [], ends: [], unread_ends: [], used: [], left: [], edits: [] }
  const routes = model.routes
    .map((route, index) => ({ route, index }))
    .filter(({ route }) => choice.provider === undefined || route.provider === choice.provider)
    .toSorted((one, other) => (one.route.order ?? 0) - (other.route.order ?? 0))
  let first: NewRates | undefined
  for (const { route, index } of routes) {
    const provider = providers.get(route.provider)
    if (!provider) continue
    const name = { model: model.id, provider: provider.name, upstream: route.model }
    const match = matchOf(matcher, provider, route, model)
    const path = ['models', at, 'routes', index]
    noteShutdownDate(plan, match, { ...name, old: route.shutdown_date ?? null }, [...path, 'shutdown_date'])
    const found = costOf(match, linesOf(matcher, provider, route, model), model)
    if ('reason' in found) {
      plan.left.push({ ...name, ...found })
      continue
    }
    const merged = mergePrice(route.cost, found.wanted, model.kind)
    const cost_of = { provider: provider.name, upstream: route.model }
    noteChanges(plan, merged, { model: model.id, cost_of }, [...path, 'cost'])
    const { entry, unmapped, rounded } = found
    plan.used.push({ ...name, entry, unmapped, rounded, kept: merged.kept })
    first ??= found.wanted
  }
  if (first) {
    const merged = mergePrice(model.price, withMarkup(first, choice.markup), model.kind)
    noteChanges(plan, merged, { model: model.id, cost_of: undefined }, ['models', at, 'price'])
    const [used, ...others] = plan.used
    if (used) plan.used = [{ ...used, kept: [...new Set([...used.kept, ...merged.kept])] }, ...others]
  }
  return plan
}

/** Matches the first of the route's names that the list has. */
function matchOf(
  matcher: Matcher,
  provider: ListedProvider,
  route: RouteBlock,
  { kind, price }: ModelBlock,
): Match {
  const [first, ...others] = listedNames(provider, route).map((name) =>
    matcher.match(provider, name, kind, price),
  )
  return [first, ...others].find((match) => match && 'entry' in match) ?? first ?? NOT_LISTED
}

const NOT_LISTED: Match = { reason: 'not listed', entries: [] }

function noteShutdownDate(
  plan: ModelPlan,
  match: Match,
  of: Omit<PlannedShutdown, 'new'>,
  path: readonly (string | number)[],
): void {
  const unread = 'entry' in match ? invalidShutdownOf(match.entry) : undefined
  if (unread !== undefined) plan.unread_ends.push(`${of.model} (${unread})`)
  const date = 'entry' in match ? shutdownDateOf(match.entry) : undefined
  if (date === undefined || date === of.old) return
  plan.ends.push({ ...of, new: date })
  plan.edits.push({ op: 'set', path, value: date })
}

function noteChanges(
  plan: ModelPlan,
  { value, changes }: Merged,
  of: Pick<PlannedChange, 'model' | 'cost_of'>,
  path: readonly (string | number)[],
): void {
  if (changes.length === 0) return
  plan.changes.push(...changes.map((change) => ({ ...of, ...change })))
  plan.edits.push({ op: 'set', path, value })
}

interface FoundCost extends Pick<UsedEntry, 'entry' | 'unmapped' | 'rounded'> {
  readonly wanted: NewRates
}

/** Returns price lines for the first of the route's names with any in the list. */
function linesOf(
  matcher: Matcher,
  provider: ListedProvider,
  route: RouteBlock,
  { kind, price }: ModelBlock,
): NamedLines {
  const none = { ...NO_LINES, name: route.model }
  if (kind !== 'image' || isByImageTokens(kind, price)) return none
  const all = listedNames(provider, route).map((name) => ({ name, ...matcher.imageLines(provider, name) }))
  return all.find(({ lines }) => lines.length > 0) ?? none
}

interface NamedLines extends ImageLines {
  readonly name: string
}

function costOf(
  match: Match,
  by_line: NamedLines,
  { kind, price }: ModelBlock,
): FoundCost | Pick<UnchangedRoute, 'reason' | 'entries'> {
  const rates = 'entry' in match ? ratesOf(match.entry, kind, price) : undefined
  const dearest = Math.max(...by_line.lines.map(({ nanos }) => nanos))
  if (!rates && by_line.lines.length === 0)
    return 'entry' in match ? { reason: 'no price', entries: [match.entry.id] } : match
  return {
    entry: 'entry' in match ? match.entry.id : `lines of ${by_line.name}`,
    wanted: {
      base: rates?.base ?? new Map([['per_image', dearest]]),
      tiers: rates?.tiers ?? [],
      lines: by_line.lines,
      service_tiers: rates?.service_tiers ?? new Map(),
    },
    unmapped: [...(rates?.unmapped ?? []), ...by_line.unmapped],
    rounded: [...(rates?.rounded ?? []), ...by_line.rounded],
  }
}

const NO_LINES: ImageLines = { lines: [], unmapped: [], rounded: [] }

function withMarkup({ base, tiers, lines, service_tiers }: NewRates, markup: ExactDecimal): NewRates {
  const all = (rates: Rates): Rates =>
    new Map([...rates].map(([name, nanos]) => [name, timesRoundingUp(nanos, markup)]))
  const both = (price: Pick<NewRates, 'base' | 'tiers'>) => ({
    base: all(price.base),
    tiers: price.tiers.map(({ above, rates }) => ({ above, rates: all(rates) })),
  })
  return {
    ...both({ base, tiers }),
    service_tiers: new Map([...service_tiers].map(([name, own]) => [name, both(own)])),
    lines: lines.map((line) => ({ ...line, nanos: timesRoundingUp(line.nanos, markup) })),
  }
}

/** LiteLLM's field. Its dates are the providers' shutdown dates, such as 2026-02-19 for `claude-3-7-sonnet-20250219`. */
const SHUTDOWN_FIELD = 'deprecation_date'
const MAX_QUOTED_CHARS = 40
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Describes an invalid shutdown date; undefined for a valid one and without one. */
function invalidShutdownOf(entry: ListEntry): string | undefined {
  const value = entry.fields.get(SHUTDOWN_FIELD)
  return value === undefined || value === null || shutdownDateOf(entry) !== undefined
    ? undefined
    : `${SHUTDOWN_FIELD} ${JSON.stringify(value)?.slice(0, MAX_QUOTED_CHARS)}`
}

/** Returns the shutdown date of an entry; undefined without one, or if it is invalid. */
function shutdownDateOf({ fields }: ListEntry): string | undefined {
  const value = fields.get(SHUTDOWN_FIELD)
  if (typeof value !== 'string' || !DAY.test(value)) return undefined
  const date = new Date(value)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}
