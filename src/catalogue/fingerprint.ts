// The fingerprint of a catalogue: equal where two gateways do the same by it, whatever is of each machine.
import { sharedIn } from './of-the-machine.ts'
import { readToml } from './toml.ts'
import { isTable } from './toml-write.ts'

/**
 * Comments, spaces and the order of settings make no difference, and secrets count by the names of their variables.
 * @returns SHA-256 in hexadecimal digits; of the text itself where it is no TOML
 */
export function fingerprintOf(text: string): string {
  const document = readToml(text)
  const compared = document.ok ? JSON.stringify(ordered(sharedIn(document.value))) : text
  return new Bun.CryptoHasher('sha256').update(compared).digest('hex')
}

/** Tables by the names of their fields; lists as they are. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isTable(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered(value[name])]),
  )
}
