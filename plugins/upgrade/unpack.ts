// The executable and the changelog of an archive, unpacked.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { unprocessable } from '../../src/domain/errors.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import type { CheckedArchive } from './checked.ts'

/** With Node's default of 16 KB, unpacking takes several times the CPU. */
const BLOCK_BYTES = 256 * 1024
const EXECUTABLE_MODE = 0o755
/** An archive of a few megabytes may unpack to terabytes. */
const MAX_FILE_BYTES = 1024 ** 3
const MAX_CHANGELOG_BYTES = 1024 ** 2

/**
 * @param executable the path to write its executable to, synced
 * @returns the text of its changelog; empty if it has none
 * @throws GatewayError unprocessable for an archive without an executable
 */
export async function unpackArchive(
  { path, version, platform }: CheckedArchive,
  executable: string,
): Promise<string> {
  const folder = `tollgate-${version}-${platform}`
  const tar = extract()
  const read = pipeline(createReadStream(path), createGunzip({ chunkSize: BLOCK_BYTES }), tar)
  // Ignored here: the tar stream passes the failure to its reader.
  read.catch(() => {})
  let changelog = ''
  let has_executable = false
  try {
    for await (const entry of tar) {
      const blocks = entry as AsyncIterable<Buffer>
      const { name, type, size = 0 } = entry.header
      const is_changelog = type === 'file' && name === `${folder}/CHANGELOG.md`
      if (size > (is_changelog ? MAX_CHANGELOG_BYTES : MAX_FILE_BYTES))
        throw new Error(`${name} is too large to belong to a release`)
      if (type === 'file' && name === `${folder}/tollgate`) {
        await writeSynced(executable, blocks)
        has_executable = true
      } else for await (const block of blocks) if (is_changelog) changelog += block.toString('latin1')
    }
  } catch (thrown) {
    throw unprocessable(`The archive cannot be unpacked: ${messageOf(thrown)}. Nothing was changed.`)
  }
  if (!has_executable) throw unprocessable(`The archive has no ${folder}/tollgate. Nothing was changed.`)
  return Buffer.from(changelog, 'latin1').toString()
}

async function writeSynced(path: string, blocks: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(path, 'wx', EXECUTABLE_MODE)
  for await (const block of blocks) await file.write(block)
  await file.sync()
}
