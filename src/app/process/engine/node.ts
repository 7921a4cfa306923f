// The number of a data folder, by which a gateway finds what an earlier one there left in a database of several gateways.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

const FILE = 'gateway.id'

/** The number that the folder has; undefined before its first gateway. @throws the file system's error */
export function knownNode(data_folder: string): string | undefined {
  const path = join(data_folder, FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || undefined : undefined
}

/**
 * Under the folder's lock. A copy of a folder must not keep the file: its gateway would end the other's row.
 * @returns a UUID and the machine's name @throws the file system's error
 */
export function nodeIn(data_folder: string): { node: string; name: string } {
  const name = hostname()
  const known = knownNode(data_folder)
  if (known !== undefined) return { node: known, name }
  const node = crypto.randomUUID()
  writeFileSync(join(data_folder, FILE), `${node}\n`, { mode: 0o600 })
  return { node, name }
}
