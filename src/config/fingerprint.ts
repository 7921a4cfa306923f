// The fingerprint of a catalogue: equal where two gateways do the same by it, whatever is of each machine.
import { readToml } from './toml.ts'
import { isTable } from './toml-write.ts'

/** What is of one machine, and may differ. */
const OF_THE_MACHINE: Readonly<Record<string, readonly string[]>> = {
  server: ['listen', 'tls_certificate', 'tls_key'],
  metrics: ['listen'],
  backup: ['folder'],
}
const SECTIONS_OF_THE_MACHINE: readonly string[] = ['storage']

/**
 * Comments, spaces and the order of settings make no difference, and secrets count by the names of their variables.
 * @returns SHA-256 in hexadecimal digits; of the text itself where it is no TOML
 */
export function fingerprintOf(text: string): string {
  const document = readToml(text)
  const compared = document.ok ? JSON.stringify(ordered(shared(document.value))) : text
  return new Bun.CryptoHasher('sha256').update(compared).digest('hex')
}

type Table = Readonly<Record<string, unknown>>

function shared(file: Table): Table {
  const sections = Object.entries(file).flatMap(([name, value]) => {
    if (SECTIONS_OF_THE_MACHINE.includes(name)) return []
    const left_out = OF_THE_MACHINE[name]
    if (!left_out || !isTable(value)) return [[name, value] as const]
    const fields = Object.entries(value).filter(([field]) => !left_out.includes(field))
    return fields.length === 0 ? [] : [[name, Object.fromEntries(fields)] as const]
  })
  return Object.fromEntries(sections)
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
