// The merge of a list's rates into a price of the catalogue: rates of the list replace the price's, others stay.

import { isTable, type TomlValue } from '../../../src/catalogue/toml-write.ts'
import { formatUsd, type Nanos, parseUsd } from '../../../src/domain/money.ts'
import { isUnitKind, RATES, type RateName } from '../../../src/domain/units.ts'
import type { ImageLine } from './image-lines.ts'
import { type Kind, type Rates, type TierRates, withBaseRates } from './rates.ts'

/** The new rates of a price. */
export interface NewRates {
  readonly base: Rates
  readonly tiers: readonly TierRates[]
  readonly lines: readonly ImageLine[]
  readonly service_tiers: ReadonlyMap<string, Pick<NewRates, 'base' | 'tiers'>>
}

type Table = { readonly [key: string]: TomlValue }

export interface RateChange {
  /** The name of the rate, such as `input`, `input >200k` or `1024x1024 hd`. */
  readonly rate: string
  /** Null for a new rate. */
  readonly old_nanos: Nanos | null
  readonly new_nanos: Nanos
}

/** A change by more than this factor, up or down, is a jump. */
export const MAX_FACTOR = 3

/** Whether a rate jumps, also to or from 0. A jump is usually a mistake of the list or of its parser. */
export const isJump = ({ old_nanos, new_nanos }: RateChange): boolean =>
  old_nanos !== null && (new_nanos > old_nanos * MAX_FACTOR || old_nanos > new_nanos * MAX_FACTOR)

export interface Merged {
  readonly value: Table
  readonly changes: readonly RateChange[]
  /** Fields of the price that the list lacks, which stay. */
  readonly kept: readonly string[]
}

const LISTS = ['tiers', 'variants', 'service_tiers']

/** Merges rates into a price in the file's form. @param is a validated price; undefined for a new one */
export function mergePrice(is: unknown, wanted: NewRates, kind: Kind): Merged {
  const before: Table = isTable(is) ? is : {}
  const base = mergeRates(before, inFileUnits(wanted.base, before, kind), '')
  const tiers = mergeList(before.tiers, tierLines(before, base.value, wanted.tiers))
  const variants = mergeList(before.variants, variantLines(before.variants, wanted.lines))
  const value: Record<string, TomlValue> = { ...base.value }
  if (tiers.list.length > 0) value.tiers = tiers.list.toSorted(byAbove)
  if (variants.list.length > 0) value.variants = variants.list
  const service_tiers = mergeServiceTiers(before.service_tiers, wanted.service_tiers, kind)
  if (Object.keys(service_tiers.value).length > 0) value.service_tiers = service_tiers.value
  const kept = Object.keys(before).filter((key) => !LISTS.includes(key) && !base.written.has(key))
  return {
    value,
    changes: [...base.changes, ...tiers.changes, ...variants.changes, ...service_tiers.changes],
    kept: [...kept, ...tiers.kept, ...variants.kept, ...service_tiers.kept],
  }
}

/** Multipliers stay: the rates that they apply to change. */
function mergeServiceTiers(is: TomlValue | undefined, wanted: NewRates['service_tiers'], kind: Kind): Merged {
  const before: Table = isTable(is) ? is : {}
  const value: Record<string, TomlValue> = { ...before }
  const changes: RateChange[] = []
  const kept = Object.keys(before)
    .filter((name) => !wanted.has(name) || !isTable(before[name]))
    .map((name) => `service tier ${name}`)
  for (const [name, rates] of wanted) {
    const own = before[name]
    if (own !== undefined && !isTable(own)) continue
    const merged = mergePrice(own, { ...rates, lines: [], service_tiers: new Map() }, kind)
    value[name] = merged.value
    changes.push(...merged.changes.map((change) => ({ ...change, rate: `${name} ${change.rate}` })))
    kept.push(...merged.kept.map((rate) => `${name} ${rate}`))
  }
  return { value, changes, kept }
}

/** Converts rates to the file's unit, such as minutes for seconds. */
function inFileUnits(rates: Rates, before: Table, kind: Kind): Rates {
  if (!isUnitKind(kind)) return rates
  return new Map(
    [...rates].map(([name, nanos]) => {
      const { unit, per } = RATES[name as RateName]
      const own = (Object.keys(before) as RateName[]).find((key) => RATES[key]?.unit === unit)
      return own === undefined || RATES[own].per % per !== 0
        ? [name, nanos]
        : [own, nanos * (RATES[own].per / per)]
    }),
  )
}

function mergeRates(before: Table, rates: Rates, suffix: string) {
  const value: Record<string, TomlValue> = { ...before }
  const changes: RateChange[] = []
  for (const [name, nanos] of rates) {
    const old_nanos = parseAmount(before[name])
    if (old_nanos === nanos) continue
    value[name] = formatUsd(nanos)
    changes.push({ rate: name + suffix, old_nanos, new_nanos: nanos })
  }
  return { value, changes, written: new Set(rates.keys()) }
}

/** A line in a list of the price: `is` finds it in the file; `head` has the first fields of a new line. */
interface Line {
  readonly is: (table: Table) => boolean
  readonly head: Table
  readonly rates: Rates
  readonly name: string
}

const tierLine = ({ above, rates }: TierRates): Line => ({
  is: (table) => table.above === above,
  head: { above },
  rates,
  name: tierName(above),
})

/** A new tier gets the file's own rates too: otherwise they would apply to small prompts only. */
function tierLines(before: Table, base: Table, tiers: NewRates['tiers']): Line[] {
  const own = tablesIn(before.tiers)
  const rates = new Map(
    Object.entries(base).flatMap(([rate, amount]) => {
      const nanos = parseAmount(amount)
      return nanos === null ? [] : [[rate, nanos] as const]
    }),
  )
  return tiers.map((tier) =>
    tierLine(own.some(({ above }) => above === tier.above) ? tier : withBaseRates(rates, tier)),
  )
}

const tierName = (above: number): string => ` >${above / 1_000}k`

/** New lines are added only if the file has none: their order decides which one applies. */
function variantLines(before: TomlValue | undefined, lines: readonly ImageLine[]): Line[] {
  const own = tablesIn(before)
  return lines
    .map(({ size, quality, nanos }): Line => {
      const head = quality === undefined ? { size } : { size, quality }
      const is = (table: Table) => table.size === size && table.quality === quality
      return { is, head, rates: new Map([['per_image', nanos]]), name: ` ${size} ${quality ?? ''}`.trimEnd() }
    })
    .filter(({ is }) => own.length === 0 || own.some(is))
    .toSorted((one, other) => Object.keys(other.head).length - Object.keys(one.head).length)
}

function mergeList(before: TomlValue | undefined, lines: readonly Line[]) {
  const changes: RateChange[] = []
  const own = tablesIn(before)
  const merge = (table: Table, { rates, name }: Line): Table => {
    const merged = mergeRates(table, rates, name)
    changes.push(...merged.changes)
    return merged.value
  }
  const list = own.map((table) => {
    const line = lines.find(({ is }) => is(table))
    return line ? merge(table, line) : table
  })
  const added = lines.filter(({ is }) => !own.some(is)).map((line) => merge(line.head, line))
  const kept = own
    .filter((table) => !lines.some(({ is }) => is(table)))
    .map(({ above, size, quality }) =>
      above === undefined
        ? `per_image ${[size, quality].filter(Boolean).join(' ')}`
        : `tier${tierName(Number(above))}`,
    )
  return { list: [...list, ...added], changes, kept }
}

const tablesIn = (list: TomlValue | undefined): Table[] => (Array.isArray(list) ? list.filter(isTable) : [])

const byAbove = (one: Table, other: Table): number => Number(one.above) - Number(other.above)

/** Parses a validated amount; null without one. */
const parseAmount = (amount: TomlValue | undefined): Nanos | null =>
  typeof amount === 'number' || typeof amount === 'string' ? parseUsd(amount) : null
