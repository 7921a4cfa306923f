// Domains of throw-away addresses: the list of the package disposable-email-domains-js, or the operator's own file instead.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../src/utilities/thrown.ts'

/** Far above the largest public lists, which have about 100,000 lines. */
const MAX_FILE_BYTES = 16 * 1_024 * 1_024

export interface DisposableDomains {
  /**
   * Returns the current domains. A changed file is read again.
   *
   * @param file the name of a file in the data folder; undefined for the built-in list
   * @throws Error for a file that cannot be read, with its path and what to do
   */
  all(file: string | undefined): Promise<ReadonlySet<string>>
}

/** @param data_folder contains the operator's file */
export function createDisposableDomains(data_folder: string): DisposableDomains {
  let built_in: Promise<ReadonlySet<string>> | undefined
  let last_read: { path: string; changed_at_ms: number; domains: ReadonlySet<string> } | undefined
  return {
    async all(file) {
      if (file === undefined) {
        built_in ??= loadBuiltIn()
        return await built_in
      }
      const path = join(data_folder, file)
      const { mtimeMs: changed_at_ms, size } = await statOf(path)
      if (last_read?.path === path && last_read.changed_at_ms === changed_at_ms) return last_read.domains
      if (size > MAX_FILE_BYTES)
        throw new Error(`${path} is larger than 16 MB: replace it with a list of domains, one per line.`)
      last_read = { path, changed_at_ms, domains: readDomains(await readFile(path, 'utf8')) }
      return last_read.domains
    },
  }
}

/** One domain per line; empty lines and comments after `#` are ignored. */
const readDomains = (text: string): ReadonlySet<string> =>
  new Set(text.split('\n').flatMap((line) => line.replace(/#.*/, '').trim().toLowerCase() || []))

async function loadBuiltIn(): Promise<ReadonlySet<string>> {
  const { default: domains } = await import(
    'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'
  )
  return new Set(domains)
}

async function statOf(path: string) {
  try {
    return await stat(path)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause
    throw new Error(
      `${path} not found: put the list there, or remove disposable_domains from [sign_up] for the built-in one.`,
      { cause },
    )
  }
}
