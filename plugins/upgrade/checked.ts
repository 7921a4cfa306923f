// A release's archive, fetched and checked: its SHA-256 against checksums.txt, and that file's signature if a public key is known.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { verifySignature } from '../../src/build/release/signature.ts'
import { conflict, type GatewayError, invalidRequest, unprocessable } from '../../src/domain/errors.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { limitBytes, type Source } from './source.ts'

const CHECKSUMS = 'checksums.txt'
const SIGNATURE = `${CHECKSUMS}.minisig`
const MAX_TEXT_BYTES = 1024 ** 2
const MAX_ARCHIVE_BYTES = 1024 ** 3
const ARCHIVE =
  /^tollgate-(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+?)?)-((?:linux|darwin)-(?:x64|arm64)(?:-musl)?)\.tar\.gz$/

export interface CheckedArchive {
  readonly path: string
  readonly version: string
  readonly platform: string
  /** The signed comment of the signature; undefined without a public key. */
  readonly signed: string | undefined
}

/**
 * @param folder an empty folder for the archive
 * @param public_key of the releases, in minisign's format
 * @throws GatewayError for an invalid name, a missing file, a wrong signature, a missing or wrong checksum
 */
export async function fetchArchive(
  source: Source,
  folder: string,
  public_key: string | undefined,
): Promise<CheckedArchive> {
  const [, version, platform] = ARCHIVE.exec(source.archive) ?? []
  if (version === undefined || platform === undefined)
    throw invalidRequest(
      `${source.archive || 'This address'} is not the name of a release's archive, such as tollgate-0.5.0-linux-x64.tar.gz.`,
    )
  const checksums = await readWhole(source, CHECKSUMS)
  const signed = public_key === undefined ? undefined : await checkSignature(source, public_key, checksums)
  const expected = checksumOf(checksums.toString(), source.archive)
  const path = join(folder, source.archive)
  const found = await save(limitBytes(source.read(source.archive), MAX_ARCHIVE_BYTES, source.archive), path)
  if (found !== expected)
    throw unprocessable(
      `The checksum of ${source.archive} is wrong: the file is damaged, or not the one that was released. Nothing was changed. ` +
        `checksums.txt has ${expected}, the file has ${found}.`,
    )
  return { path, version, platform, signed }
}

async function checkSignature(source: Source, public_key: string, message: Uint8Array): Promise<string> {
  const signature = await readWhole(source, SIGNATURE)
  try {
    return verifySignature(public_key, message, signature.toString())
  } catch (thrown) {
    throw unprocessable(
      `The signature of ${CHECKSUMS} is not valid: ${messageOf(thrown)}. Nothing was changed. Get the release from where you got this program.`,
    )
  }
}

async function readWhole(source: Source, name: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(limitBytes(source.read(name), MAX_TEXT_BYTES, name)))
}

/** Returns the checksum of a file from the output of sha256sum. */
function checksumOf(checksums: string, name: string): string {
  const lines = checksums.split(/\r?\n/).filter((line) => line.slice(66) === name)
  const [checksum] = /^[0-9a-f]{64}(?=[ *]{2})/.exec(lines[0] ?? '') ?? []
  if (lines.length === 0) throw uncheckable(`has no ${name}`)
  if (lines.length > 1) throw uncheckable(`has ${name} twice`)
  if (checksum === undefined) throw uncheckable(`has no SHA-256 for ${name}`)
  return checksum
}

const uncheckable = (why: string): GatewayError =>
  conflict(`${CHECKSUMS} ${why}, so the archive cannot be checked. Nothing was changed.`)

/** @returns the SHA-256 of the saved file */
async function save(content: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  const hash = createHash('sha256')
  await using file = await open(path, 'wx')
  for await (const part of content) {
    hash.update(part)
    await file.write(part)
  }
  return hash.digest('hex')
}
