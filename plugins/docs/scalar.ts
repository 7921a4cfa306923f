// The file of Scalar's reference page, where its package has it. The executable has this module replaced by one that embeds
// compressed copies (src/build/reference.ts).
import { dirname, join } from 'node:path'
import type { Stored } from './stored.ts'

/** Looked up at the first request: most gateways are never asked for their page. */
export const scalarFile = (): string =>
  join(dirname(Bun.resolveSync('@scalar/api-reference', import.meta.dir)), 'browser/standalone.js')

export const scalar = (): Stored => ({ identity: scalarFile() })
