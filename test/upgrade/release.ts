// Releases for tests: an archive with any program in it, checksums.txt, and its signature by a key of its own.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { type SecretKey, sign } from '../../src/build/release/signature.ts'

export const CHANGELOG = `# Changelog

## 99.0.0 (2026-12-01)

Callers

- A new field.

Operators

- Before you upgrade: rename a setting.
- More alerts.

## 0.4.0 (2026-11-24)

Callers

- What is old.
`

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export const archiveName = (version: string, platform = 'linux-x64'): string =>
  `tollgate-${version}-${platform}.tar.gz`

/** @param files by their names in the archive's folder; texts that begin with `#!` are programs */
export async function archiveOf(
  version: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  platform = 'linux-x64',
): Promise<Buffer> {
  const tar = pack()
  const packed = buffer(tar)
  for (const [name, content] of Object.entries(files))
    tar.entry({ name: `tollgate-${version}-${platform}/${name}`, mode: 0o755 }, Buffer.from(content))
  tar.finalize()
  return gzipSync(await packed, { level: 1 })
}

export function newKey(): SecretKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const id = Buffer.from(sha256(crypto.randomUUID()), 'hex').subarray(0, 8)
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { id, key: privateKey, public_key: Buffer.concat([Buffer.from('Ed'), id, bytes]).toString('base64') }
}

export function releaseOf(
  name: string,
  archive: Uint8Array,
  key?: SecretKey,
): Record<string, string | Uint8Array> {
  const checksums = `${sha256('another')}  install.sh\n${sha256(archive)}  ${name}\n`
  return {
    [name]: archive,
    'checksums.txt': checksums,
    ...(key ? { 'checksums.txt.minisig': sign(key, Buffer.from(checksums), 'tollgate 99.0.0') } : {}),
  }
}
