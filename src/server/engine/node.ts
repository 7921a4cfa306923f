// The number of a data folder, by which a gateway finds what an earlier one there left in a database of several gateways.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

const FILE = 'gateway.id'

/**
 * Under the folder's lock. A copy of a folder must not keep the file: its gateway would end the other's row.
 * @returns a UUID and the machine's name @throws the file system's error
 */
export function nodeIn(data_folder: string): { node: string; name: string } {
  const path = join(data_folder, FILE)
  const name = hostname()
  if (existsSync(path)) {
    const node = readFileSync(path, 'utf8').trim()
    if (node !== '') return { node, name }
  }
  const node = crypto.randomUUID()
  writeFileSync(path, `${node}\n`, { mode: 0o600 })
  return { node, name }
}
