// The script of Scalar's reference page, in its npm package. The build of the executable replaces this module by one that embeds
// compressed copies (src/build/embed.ts).
import { dirname, join } from 'node:path'

/** Paths by content coding: the plain file, or copies compressed with Brotli and gzip. */
export type Stored = { readonly identity: string } | { readonly br: string; readonly gzip: string }

/** Resolved at the first request, because most gateways never serve the page. */
export const scalarFile = (): string =>
  join(dirname(Bun.resolveSync('@scalar/api-reference', import.meta.dir)), 'browser/standalone.js')

export const scalar = (): Stored => ({ identity: scalarFile() })
