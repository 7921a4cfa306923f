// The checksums of a release: a line for each file, in the format of `sha256sum -c`, and their signature.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sha256OfFile } from '../../utilities/file-hash.ts'
import type { Release } from './files.ts'
import { readSecretKey, type SecretKey, sign } from './signature.ts'

/**
 * Reads the signing key of releases.
 * @param text the value of MINISIGN_KEY: the path of a secret key, or its text
 * @throws Error that says what to do
 */
export function readKey(text: string | undefined): SecretKey | undefined {
  if (!text) return undefined
  return readSecretKey(existsSync(text) ? readFileSync(text, 'utf8') : text)
}

/**
 * Writes `checksums.txt`, and `checksums.txt.minisig` if there is a key.
 * @param files the paths of the other files of the release
 */
export async function writeChecksums(
  { folder, version }: Pick<Release, 'folder' | 'version'>,
  files: readonly string[],
  key: SecretKey | undefined,
): Promise<readonly string[]> {
  const lines: string[] = []
  for (const path of files.toSorted()) {
    lines.push(`${await sha256OfFile(path)}  ${relative(folder, path)}\n`)
  }
  const path = join(folder, 'checksums.txt')
  writeFileSync(path, lines.join(''))
  if (!key) return [path]
  writeFileSync(`${path}.minisig`, sign(key, readFileSync(path), `tollgate ${version}`))
  return [path, `${path}.minisig`]
}
