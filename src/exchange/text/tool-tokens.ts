// The estimated tokens of tools that came before: agents send the same ones with every call, and to write them as text, which is what
// the estimate measures, costs a third of the body's parse.
import { jsonTokens } from '../../protocols/token-sums.ts'
import type { JsonBody } from '../../protocols/wire/json-body.ts'
import { fieldBytes } from '../../protocols/wire/json-field.ts'

interface Known {
  /** As they were written: the estimate is that of no other bytes. */
  readonly written: Uint8Array
  readonly tokens: number
}

/** Of shorter ones the estimate costs less than the search. */
const MIN_BYTES = 1024
/** Of one body's tools; those of large agents take 100 KB. */
const MAX_BYTES = 256 * 1024
/** Of all that are known. */
const MAX_KNOWN_BYTES = 2 * 1024 * 1024

/** By their hash, the longest unused first. */
const known_tools = new Map<number | bigint, Known>()
let known_bytes = 0

/** The tokens of a body's `tools`, as `jsonTokens` has them. */
export function toolTokens(body: JsonBody): number {
  const { tools } = body.json
  const written = fieldBytes(body, 'tools')
  if (!written || written.length < MIN_BYTES || written.length > MAX_BYTES) return jsonTokens(tools)
  const hash = Bun.hash(written)
  const known = known_tools.get(hash)
  if (known && written.equals(known.written)) {
    known_tools.delete(hash)
    known_tools.set(hash, known)
    return known.tokens
  }
  const tokens = jsonTokens(tools)
  forget(hash)
  known_tools.set(hash, { written: Uint8Array.from(written), tokens })
  known_bytes += written.length
  for (const oldest of known_tools.keys()) {
    if (known_bytes <= MAX_KNOWN_BYTES) break
    forget(oldest)
  }
  return tokens
}

function forget(hash: number | bigint): void {
  known_bytes -= known_tools.get(hash)?.written.length ?? 0
  known_tools.delete(hash)
}
