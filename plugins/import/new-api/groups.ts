// Groups of users as price groups: their ratio over that of the group "default", which the imported prices have.
import type { IncomingPriceGroup, LeftOut } from '../move-in.ts'
import { decimalOf, inverse, isEqual, ONE, times, usdTextOf } from './exact.ts'
import { DEFAULT_GROUP, groupRatioOf, type Settings } from './options.ts'

const NOT_IN_NAMES = /[^\p{L}\p{N} ._+@-]+/gu
const BEFORE_NAMES = /^[^\p{L}\p{N}]+/u
const MAX_NAME_CHARS = 60
/** As a catalogue takes them (catalogue/price-groups.ts). */
const MAX_GROUPS = 50
const MAX_FACTOR = 100n

/** The groups of a source, as far as they pay another ratio. */
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

  /** The price group of the users in a group; undefined: list prices. */
  nameOf(group: string): string | undefined {
    if (!this.#groups.has(group)) this.#groups.set(group, this.#groupOf(group))
    return this.#groups.get(group)?.name
  }

  /** Undefined for the ratio of the imported prices, and for what no factor of them can be. */
  #groupOf(group: string): IncomingPriceGroup | undefined {
    const by_default = inverse(groupRatioOf(this.#settings, DEFAULT_GROUP))
    const factor = by_default && times(groupRatioOf(this.#settings, group), by_default)
    if (!factor || isEqual(factor, ONE) || factor.over > factor.under * MAX_FACTOR) return undefined
    const text = usdTextOf(factor)
    const taken = this.all.map(({ name }) => name)
    if (text === undefined || taken.length >= MAX_GROUPS) return undefined
    const plain = group.normalize('NFC').replaceAll(NOT_IN_NAMES, '-').replace(BEFORE_NAMES, '')
    const name = [...plain].slice(0, MAX_NAME_CHARS).join('').trim() || 'group'
    let free = name
    for (let number = 2; taken.includes(free); number += 1) free = `${name}-${number}`
    return { name: free, factor: text }
  }

  /** Counts a user in a group, or a key in another one than its user. */
  add(group: string, what: 'users' | 'keys'): void {
    const counts = this.#counts.get(group) ?? { users: 0, keys: 0 }
    counts[what] += 1
    this.#counts.set(group, counts)
  }

  /** The users and keys that pay another ratio in the source all the same. */
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
