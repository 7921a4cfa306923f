// Multiplication of all amounts of a price or cost in the catalogue's form. Pure.
import { type ExactDecimal, timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import { isTable, type TomlValue } from '../../../src/catalogue/toml-write.ts'
import { formatUsd, parseUsd } from '../../../src/domain/money.ts'

type Table = { readonly [key: string]: TomlValue }

/** Fields of a price that are not amounts. */
const NOT_AMOUNTS = ['above', 'size', 'quality']
/** Amounts of an extra; its other fields are counts and switches. */
const EXTRA_AMOUNTS = ['per_unit', 'per_call', 'per_request']

/**
 * Multiplies all amounts of a price: rates, tiers, variants, service tiers and extras. Each is rounded up to a nano-dollar. The
 * multiplier of a service tier stays: it applies to amounts that change.
 *
 * @param price a validated price
 * @throws RangeError if an amount exceeds the largest safe integer
 */
export function timesFactor(price: Table, factor: ExactDecimal): Table {
  const times = (amount: TomlValue): TomlValue => amountTimes(amount, factor)
  const all = (table: Table): Table => timesFactor(table, factor)
  return mapFields(price, (field, value) => {
    if (NOT_AMOUNTS.includes(field)) return value
    if (field === 'tiers' || field === 'variants') return tablesIn(value).map(all)
    if (field === 'service_tiers') return mapFields(value, (_, own) => (isTable(own) ? all(own) : own))
    if (field === 'extras')
      return mapFields(value, (_, extra) =>
        isTable(extra)
          ? mapFields(extra, (name, own) => (EXTRA_AMOUNTS.includes(name) ? times(own) : own))
          : times(extra),
      )
    return times(value)
  })
}

/** Keeps the digits of an amount that does not change, such as 0. */
function amountTimes(amount: TomlValue, factor: ExactDecimal): TomlValue {
  if (typeof amount !== 'string' && typeof amount !== 'number') return amount
  const nanos = parseUsd(amount)
  const next = timesRoundingUp(nanos, factor)
  return next === nanos ? amount : formatUsd(next)
}

const mapFields = (table: TomlValue, change: (field: string, value: TomlValue) => TomlValue): Table =>
  Object.fromEntries(
    Object.entries(isTable(table) ? table : {}).map(([field, value]) => [field, change(field, value)]),
  )

const tablesIn = (list: TomlValue): Table[] => (Array.isArray(list) ? list.filter(isTable) : [])
