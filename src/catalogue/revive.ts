// A text of the catalogue's history as a draft. Stored texts have no keys, so the draft gets the current ones.
import { type HiddenText, readPlaces } from './hidden-text.ts'
import { writePath } from './mistakes.ts'
import { destinationOf, isMask, providerOf } from './secret-places.ts'
import type { TomlPath } from './toml.ts'
import { type Splice, spliced } from './toml-lines.ts'
import type { Places } from './toml-places.ts'

export interface RevivedText {
  /** The draft. A mask without a current key is a mistake in it. */
  text: string
  /** The paths of keys that differ from the original ones: `providers[0].api_keys[0]`. */
  other_keys: readonly string[]
}

/**
 * Replaces each unknown mask of a stored text by the current key or variable of the same provider, at the same
 * place, for the same address.
 *
 * @param present the current text; undefined if it is no TOML
 */
export function reviveText(text: string, present: HiddenText | undefined): RevivedText {
  const then = readPlaces(text)
  const now = present && readPlaces(present.text)
  if (!then || !now) return { text, other_keys: [] }
  const known = new Set(present.secrets.map(({ mask, origin }) => `${mask} ${origin}`))
  const own = presentKeys(now)
  const splices: Splice[] = []
  const other_keys: string[] = []
  for (const { path, node } of then.written) {
    if (node.type !== 'TOMLValue' || typeof node.value !== 'string' || !isMask(node.value)) continue
    const origin = destinationOf(path, then.value)
    if (origin === undefined || known.has(`${node.value} ${origin}`)) continue
    const key = own.get(placeOf(path, then, origin))
    if (key === undefined) continue
    splices.push([...node.range, JSON.stringify(key)])
    other_keys.push(writePath(path))
  }
  return { text: spliced(text, splices), other_keys }
}

/** Returns the current values at the places of keys: masks, and names of variables. */
function presentKeys(now: Places): Map<string, string> {
  const keys = new Map<string, string>()
  for (const { path, node } of now.written) {
    const origin = destinationOf(path, now.value)
    if (origin === undefined || node.type !== 'TOMLValue' || typeof node.value !== 'string') continue
    keys.set(placeOf(path, now, origin), node.value)
  }
  return keys
}

/** Identifies a place by the provider's name instead of its index in the file. */
function placeOf(path: TomlPath, { value }: Places, origin: string): string {
  const index = providerOf(path)
  if (index === undefined) return JSON.stringify([path, origin])
  const provider: unknown = Reflect.get(Object(value.providers), index)
  return JSON.stringify([Reflect.get(Object(provider), 'name'), path.slice(2), origin])
}
