// Reads a secret in a section of settings: its text, or the value of its environment variable.
import { readSecret, warnUnusable } from './providers.ts'
import type { SectionContext } from './sections.ts'
import type { TomlPath } from './toml.ts'

/** @param so the consequence of a missing variable, as a sentence @returns undefined, with a warning, if the variable is not set */
export function readSetSecret(
  text: string,
  path: TomlPath,
  so: string,
  context: SectionContext,
): string | undefined {
  const read = readSecret(text, path, context)
  if (typeof read === 'string') return read
  warnUnusable(read, so, context.warn)
  return undefined
}
