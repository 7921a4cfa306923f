// A secret in a section of settings: its text, or that of its environment variable.
import { readSecret, warnUnusable } from './providers.ts'
import type { SectionContext } from './sections.ts'
import type { TomlPath } from './toml.ts'

/** @returns undefined, and warns, where the variable is not set @param so what is left out then, as a sentence */
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
