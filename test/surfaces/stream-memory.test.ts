// Memory over a long stream: a process of its own translates 50,000 events, and does not grow with them.
// In long runs only: TOLLGATE_LONG=1
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { IS_LONG } from '../support/long.ts'

const EVENTS = 50_000
const PIECE_BYTES = 1_024
/** The size of the stream: a gateway that kept the text of each event would grow by it. */
const MIN_BYTES = EVENTS * PIECE_BYTES
const MAX_GROWTH_BYTES = MIN_BYTES / 2

interface Printed {
  chunks: number
  bytes: number
  grown_bytes: number
}

const PAIRS: [BuiltInProtocol, BuiltInProtocol][] = [
  ['openai', 'gemini'],
  ['anthropic', 'openai'],
  ['gemini', 'anthropic'],
]

describe.skipIf(!IS_LONG)('memory stays flat', () => {
  test.each(PAIRS)(
    'a caller of %s, a %s model',
    async (surface, provider) => {
      const program = join(import.meta.dir, 'stream-memory.ts')
      const child = Bun.spawn(
        [process.execPath, program, surface, provider, String(EVENTS), String(PIECE_BYTES)],
        { stdout: 'pipe', stderr: 'inherit' },
      )
      const printed = await new Response(child.stdout).text()
      const { chunks, bytes, grown_bytes }: Printed = JSON.parse(printed)
      expect(await child.exited).toBe(0)
      expect(chunks).toBeGreaterThanOrEqual(EVENTS)
      expect(bytes).toBeGreaterThan(MIN_BYTES)
      expect(grown_bytes).toBeLessThan(MAX_GROWTH_BYTES)
    },
    60_000,
  )
})
