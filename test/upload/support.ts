// Helpers for the tests of the upload endpoint: images of any size, and forms byte for byte.
import { expect } from 'bun:test'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_QUOTA_BYTES } from '../../src/media/limits.ts'
import { paint } from '../media/support.ts'
import type { TestGateway } from '../support/gateway.ts'

export const BOUNDARY = 'a-boundary'
const END = `\r\n--${BOUNDARY}--\r\n`

export interface Part {
  bytes: Uint8Array | string
  field?: string
  filename?: string
  /** Instead of the part's usual header lines. */
  head?: string
}

const PNG = await paint('png')

/** An image of exactly this many bytes: decoders ignore what follows its end. */
export function pictureOf(bytes: number): Uint8Array {
  const picture = new Uint8Array(bytes)
  picture.set(PNG)
  return picture
}

/** The size of the smallest image that `pictureOf` can make. */
export const MIN_BYTES = PNG.length

/** The body of a form. */
export const formOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ bytes, field = 'files', filename = 'cat.png', head }, index) => [
      Buffer.from(`${index === 0 ? '' : '\r\n'}--${BOUNDARY}\r\n`),
      Buffer.from(
        `${head ?? `Content-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: image/png`}\r\n\r\n`,
      ),
      Buffer.from(bytes),
    ]),
    Buffer.from(END),
  ])

export interface Uploaded {
  key: string
  name: string
  size: number
  mime: string
  sha256: string
  width: number
  height: number
  created_at: string
}

/** Sends a form. */
export const post = (
  gateway: TestGateway,
  key: string | undefined,
  body: Uint8Array | ReadableStream,
  content_type = `multipart/form-data; boundary=${BOUNDARY}`,
): Promise<Response> =>
  gateway.call('/api/v1/upload', body, { key, headers: { 'content-type': content_type } })

/** Uploads files. @returns the stored files */
export async function upload(gateway: TestGateway, key: string, ...parts: Part[]): Promise<Uploaded[]> {
  const response = await post(gateway, key, formOf(parts))
  const body = (await response.json()) as { uploaded: Uploaded[] }
  expect([response.status, body]).toEqual([200, { uploaded: expect.any(Array) }])
  return body.uploaded
}

/** The quota that an account has used, as its owner sees it. */
export async function usedBytes(gateway: TestGateway, key: string): Promise<number> {
  const response = await gateway.call('/api/v1/files', undefined, { key })
  return ((await response.json()) as { quota: { used_bytes: number } }).quota.used_bytes
}

/** The key of a caller with this much of the quota left: their only file is enlarged, on the disk and in its row. */
export async function callerWithQuota(
  gateway: TestGateway,
  room_bytes: number,
  balance_usd = '0',
): Promise<string> {
  const key = await gateway.caller(balance_usd)
  const [file] = await upload(gateway, key, { bytes: pictureOf(MIN_BYTES) })
  if (!file) throw new Error('nothing was stored')
  const bytes = FILE_QUOTA_BYTES - room_bytes
  if (!gateway.files.bucket) await truncate(join(gateway.data_folder, file.key), bytes)
  gateway.db.query('UPDATE files SET bytes = ? WHERE key = ?').run(bytes, file.key)
  expect(await usedBytes(gateway, key)).toBe(bytes)
  return key
}
