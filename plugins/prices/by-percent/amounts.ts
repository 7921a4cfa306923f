// The amounts of a price or a cost as the catalogue has it, each multiplied. Pure.
import { type ExactDecimal, timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import { isTable, type TomlValue } from '../../../src/catalogue/toml-write.ts'
import { formatUsd, parseUsd } from '../../../src/domain/money.ts'

type Table = { readonly [key: string]: TomlValue }

/** The fields of a price that are no amounts. */
const WORDS = ['above', 'size', 'quality']
/** The amounts of an extra; its other fields are counts and switches. */
const OF_EXTRAS = ['per_unit', 'per_call', 'per_request']

/**
 * The same price with all of its amounts multiplied, each rounded up to a nano-dollar: rates, tiers, variants, service tiers and extras. The
 * multiplier of a service tier stays, because what it multiplies changes.
 *
 * @param price that has been validated
 * @throws RangeError for more than can be counted exactly
 */
export function timesFactor(price: Table, factor: ExactDecimal): Table {
  const times = (amount: TomlValue): TomlValue => amountTimes(amount, factor)
  const all = (table: Table): Table => timesFactor(table, factor)
  return mapped(price, (field, value) => {
    if (WORDS.includes(field)) return value
    if (field === 'tiers' || field === 'variants') return tablesIn(value).map(all)
    if (field === 'service_tiers') return mapped(value, (_, own) => (isTable(own) ? all(own) : own))
    if (field === 'extras')
      return mapped(value, (_, extra) =>
        isTable(extra)
          ? mapped(extra, (name, own) => (OF_EXTRAS.includes(name) ? times(own) : own))
          : times(extra),
      )
    return times(value)
  })
}

/** An amount that stays, such as 0, keeps its digits. */
function amountTimes(amount: TomlValue, factor: ExactDecimal): TomlValue {
  if (typeof amount !== 'string' && typeof amount !== 'number') return amount
  const nanos = parseUsd(amount)
  const next = timesRoundingUp(nanos, factor)
  return next === nanos ? amount : formatUsd(next)
}

const mapped = (table: TomlValue, change: (field: string, value: TomlValue) => TomlValue): Table =>
  Object.fromEntries(
    Object.entries(isTable(table) ? table : {}).map(([field, value]) => [field, change(field, value)]),
  )

const tablesIn = (list: TomlValue): Table[] => (Array.isArray(list) ? list.filter(isTable) : [])
