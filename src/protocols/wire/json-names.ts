// The deciding names of requests: names of fields that decide the price, the model, a limit or the streaming, by their places.
import { BACKSLASH } from './json-bytes.ts'

/** The meaning of a name at its place in a request. */
export interface Name {
  /** A power of two for each meaning: spellings with the same meaning share it. 0 for a name that decides nothing. */
  readonly bit: number
  /** The names inside its value, if that is an object or an array of objects. */
  readonly within: Names | undefined
  /** The value is a count. JSON readers only agree on counts in plain digits. */
  readonly counts: boolean
  /** The value is a list that grows from request to request: its items return, but not the whole list. */
  readonly grows: boolean
}

/** An exact spelling, in ASCII. */
interface Spelling {
  readonly bytes: Uint8Array
  readonly name: Name
}

/** A name that decides nothing. */
export const HARMLESS: Name = { bit: 0, within: undefined, counts: false, grows: false }

/** The names of one kind of object. */
export interface Names {
  /** By exact spelling. */
  readonly known: ReadonlyMap<string, Name>
  /** The same, by bytes, in the slot from `slotOf`: to create a string for each key would cost more than the walk. */
  readonly slots: readonly (readonly Spelling[] | undefined)[]
  /** The spelling to use, by the reduced form of a name (see `reduce`). */
  readonly reduced: ReadonlyMap<string, string>
  /** The `reducedHash` of each key of `reduced`, which rules out most other names. */
  readonly hashes: ReadonlySet<number>
}

/** The value of a deciding name: any value, a count, or an object (or list of objects) with names of its own. */
type Value = 'value' | 'count' | Names

export interface NamesOptions {
  /** Further deciding names, whose whole values decide. They may be in `fields`, too, which then says how they decide. */
  readonly billed?: Iterable<string>
  /** Common names that decide nothing, listed only to save the closer comparison. */
  readonly harmless?: Iterable<string>
  /** Names that some servers accept for a deciding name. They are refused, because other servers ignore them. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Whether each name may also be written in snake_case. */
  readonly snake_too?: boolean
  /** Names whose values are objects with the same names again. */
  readonly inside?: readonly string[]
  /** The name of the conversation: a list that grows from request to request. */
  readonly growing?: string
}

/** A number represents more bits only inexactly. */
const MAX_NAMES = 53

/** Builds the names of one kind of object. @param fields the deciding names, with the kind of their values */
export function namesFrom(
  fields: Readonly<Record<string, Value>>,
  { billed = [], harmless = [], aliases = {}, snake_too = false, inside = [], growing }: NamesOptions = {},
): Names {
  const known = new Map([...harmless].map((name) => [name, HARMLESS]))
  const reduced = new Map<string, string>()
  const slots: Spelling[][] = []
  const hashes = new Set<number>()
  const names: Names = { known, slots, reduced, hashes }
  const deciding: [string, Value][] = [
    ...Object.entries({
      ...Object.fromEntries([...billed].map((name) => [name, 'value' as const])),
      ...fields,
    }),
    ...inside.map((name): [string, Value] => [name, names]),
  ]
  if (deciding.length > MAX_NAMES) throw new RangeError(`more than ${MAX_NAMES} names decide in one object`)
  for (const [index, [name, value]] of deciding.entries()) {
    const within = typeof value === 'string' ? undefined : value
    const entry: Name = { bit: 2 ** index, within, counts: value === 'count', grows: name === growing }
    known.set(name, entry)
    if (snake_too) known.set(snakeOf(name), entry)
    reduced.set(reduce(name), name)
  }
  for (const [alias, name] of Object.entries(aliases)) reduced.set(reduce(alias), name)
  for (const text of reduced.keys()) hashes.add(reducedHash(Buffer.from(text), 0, text.length))
  for (const [text, name] of known) {
    const bytes = Buffer.from(text)
    const slot = slotOf(bytes, 0, bytes.length)
    slots[slot] = [...(slots[slot] ?? []), { bytes, name }]
  }
  return names
}

/** For bodies of which the gateway passes no bytes on. */
export const NO_NAMES: Names = namesFrom({})

/** A power of two, large enough that few of a protocol's names share a slot. */
const SLOTS = 128

const slotOf = (data: Uint8Array, start: number, end: number): number =>
  ((data[start] ?? 0) * 5 + (data[end - 1] ?? 0) * 3 + (end - start)) & (SLOTS - 1)

/** Finds a name by its exact bytes. */
export function nameIn({ slots }: Names, data: Uint8Array, start: number, end: number): Name | undefined {
  const spellings = slots[slotOf(data, start, end)]
  if (spellings !== undefined)
    for (let index = 0; index < spellings.length; index++) {
      const spelling = spellings[index]
      if (spelling !== undefined && isAt(spelling.bytes, data, start, end)) return spelling.name
    }
  return undefined
}

function isAt(bytes: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== data[start + at]) return false
  return true
}

export const snakeOf = (camel: string): string =>
  camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Reduces a name as the most lenient readers do. Go's encoding/json folds case as Unicode does, so that the Kelvin sign matches k and
 * the long s matches s; its second version also ignores `_` and `-`; other languages fold the Turkish i; a C reader ends a name at its
 * first NUL; other characters than letters and digits may be dropped.
 */
export function reduce(name: string): string {
  // Nearly all names take this path.
  if (/^[A-Za-z0-9_]*$/.test(name)) return name.replaceAll('_', '').toLowerCase()
  const end = name.indexOf('\0')
  return (end < 0 ? name : name.slice(0, end))
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replace(/[^a-z0-9]/g, '')
}

/** The hash of a name that only `reduce` can reduce. */
export const NO_HASH = -1

const END_OF_ASCII = 0x80

/** A hash, 0 or more, of a name's reduced form; NO_HASH for a name with escapes, or outside ASCII. */
export function reducedHash(data: Uint8Array, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) {
    const byte = data[at] ?? 0
    if (byte === BACKSLASH || byte >= END_OF_ASCII) return NO_HASH
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
    const counts = (lower >= 0x61 && lower <= 0x7a) || (lower >= 0x30 && lower <= 0x39)
    if (counts) hash = (Math.imul(hash, 31) + lower) & 0x7fffffff
  }
  return hash
}
