// User groups as price groups: the group's ratio divided by that of the group "default", at which prices are imported.
import type { IncomingPriceGroup, LeftOut } from '../move-in.ts'
import { decimalOf, inverse, isEqual, ONE, times, usdTextOf } from './fraction.ts'
import { DEFAULT_GROUP, groupRatioOf, type Settings } from './options.ts'

const NOT_IN_NAMES = /[^\p{L}\p{N} ._+@-]+/gu
const BEFORE_NAMES = /^[^\p{L}\p{N}]+/u
const MAX_NAME_CHARS = 60
/** Limits of the catalogue (catalogue/price-groups.ts). */
const MAX_GROUPS = 50
const MAX_FACTOR = 100n

/** The source's groups with another ratio than "default". */
export class SourceGroups {
  readonly #settings: Settings
  readonly #counts = new Map<string, { users: number; keys: number }>()
  readonly #groups = new Map<string, IncomingPriceGroup | undefined>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get all(): readonly IncomingPriceGroup[] {
    return [...this.#groups.values()].filter((group) => group !== undefined)
  }

  /** Returns the price group for users of a group; undefined: list prices. */
  nameOf(group: string): string | undefined {
    if (!this.#groups.has(group)) this.#groups.set(group, this.#newGroup(group))
    return this.#groups.get(group)?.name
  }

  /** Undefined for the ratio of the imported prices, and for ratios that no factor of the catalogue can express. */
  #newGroup(group: string): IncomingPriceGroup | undefined {
    const by_default = inverse(groupRatioOf(this.#settings, DEFAULT_GROUP))
    const factor = by_default && times(groupRatioOf(this.#settings, group), by_default)
    if (!factor || isEqual(factor, ONE) || factor.numerator > factor.denominator * MAX_FACTOR)
      return undefined
    const text = usdTextOf(factor)
    const taken = this.all.map(({ name }) => name)
    if (text === undefined || taken.length >= MAX_GROUPS) return undefined
    const plain = group.normalize('NFC').replaceAll(NOT_IN_NAMES, '-').replace(BEFORE_NAMES, '')
    const name = [...plain].slice(0, MAX_NAME_CHARS).join('').trim() || 'group'
    let free = name
    for (let number = 2; taken.includes(free); number += 1) free = `${name}-${number}`
    return { name: free, factor: text }
  }

  /** Counts a user of a group, or a key whose group differs from its user's. */
  add(group: string, what: 'users' | 'keys'): void {
    const counts = this.#counts.get(group) ?? { users: 0, keys: 0 }
    counts[what] += 1
    this.#counts.set(group, counts)
  }

  /** Lists users and keys that pay another ratio in the source than here. */
  leftOut(): LeftOut[] {
    const by_default = groupRatioOf(this.#settings, DEFAULT_GROUP)
    return [...this.#counts].flatMap(([group, { users: in_group, keys }]) => {
      const ratio = groupRatioOf(this.#settings, group)
      const users = this.nameOf(group) === undefined ? in_group : 0
      if (isEqual(ratio, by_default) || users + keys === 0) return []
      const reason =
        `Users (${users}) and keys (${keys}) in it pay ratio ${decimalOf(ratio)} in place of ${decimalOf(by_default)}. ` +
        'Here such users pay the prices of the group "default", and keys those of their account.'
      return [{ kind: 'group prices', row: `group "${group}"`, reason }]
    })
  }
}
