// The file of Scalar's reference page, where its package has it. The executable has this module replaced by one that embeds
// compressed copies (src/build/embed.ts).
import { dirname, join } from 'node:path'

/** Paths by content coding: the file itself, or a copy in Brotli and one in gzip. */
export type Stored = { readonly identity: string } | { readonly br: string; readonly gzip: string }

/** Looked up at the first request: most gateways never serve their page. */
export const scalarFile = (): string =>
  join(dirname(Bun.resolveSync('@scalar/api-reference', import.meta.dir)), 'browser/standalone.js')

export const scalar = (): Stored => ({ identity: scalarFile() })
