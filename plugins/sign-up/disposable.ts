// Domains of throw-away addresses: the list of the package disposable-email-domains-js, or a file of the operator's in its place.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../src/utilities/thrown.ts'

/** Far more than any list of today, of which the largest have some 100,000 lines. */
const MAX_FILE_BYTES = 16 * 1_024 * 1_024

export interface DisposableDomains {
  /**
   * The domains at this moment. A file that was changed is read anew.
   *
   * @param file the name of a file in the data folder; undefined: the built-in list
   * @throws Error for a file that cannot be read, with its path and what to do
   */
  all(file: string | undefined): Promise<ReadonlySet<string>>
}

/** @param data_folder where the operator's file is */
export function createDisposableDomains(data_folder: string): DisposableDomains {
  let built_in: Promise<ReadonlySet<string>> | undefined
  let own: { path: string; changed_at_ms: number; domains: ReadonlySet<string> } | undefined
  return {
    async all(file) {
      if (file === undefined) {
        built_in ??= loadBuiltIn()
        return await built_in
      }
      const path = join(data_folder, file)
      const { mtimeMs: changed_at_ms, size } = await statOf(path)
      if (own?.path === path && own.changed_at_ms === changed_at_ms) return own.domains
      if (size > MAX_FILE_BYTES) throw new Error(`${path} has more than 16 MB: it is no list of domains.`)
      own = { path, changed_at_ms, domains: readDomains(await readFile(path, 'utf8')) }
      return own.domains
    },
  }
}

/** One domain in a line; empty lines and comments after `#` do not count. */
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
