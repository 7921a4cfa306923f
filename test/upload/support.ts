// What the tests of uploads share: pictures of any size, forms as bytes, and what a request left behind.
import { expect } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileRow } from '../../src/db/schema.ts'
import { paint } from '../media/support.ts'
import type { TestGateway } from '../support/gateway.ts'

export const BOUNDARY = 'a-boundary'
const END = `\r\n--${BOUNDARY}--\r\n`

export interface Part {
  bytes: Uint8Array | string
  field?: string
  filename?: string
  /** Instead of the part's own lines. */
  head?: string
}

const PNG = await paint('png')

/** A picture of exactly so many bytes: decoders ignore what follows its end. */
export function pictureOf(bytes: number): Uint8Array {
  const picture = new Uint8Array(bytes)
  picture.set(PNG)
  return picture
}

/** The smallest picture that `pictureOf` can make. */
export const MIN_BYTES = PNG.length

/** A form's body. */
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

/** Sends files, and reads what was stored. */
export async function upload(gateway: TestGateway, key: string, ...parts: Part[]): Promise<Uploaded[]> {
  const response = await post(gateway, key, formOf(parts))
  const body = (await response.json()) as { uploaded: Uploaded[] }
  expect([response.status, body]).toEqual([200, { uploaded: expect.any(Array) }])
  return body.uploaded
}

/** An account's quota as its owner sees it. */
export async function usedBytes(gateway: TestGateway, key: string): Promise<number> {
  const response = await gateway.call('/api/v1/files', undefined, { key })
  return ((await response.json()) as { quota: { used_bytes: number } }).quota.used_bytes
}

export interface Left {
  rows: FileRow[]
  on_disk: string[]
}

/** All traces of uploads: rows, files, and files that are still being written. */
export async function leftIn(gateway: TestGateway): Promise<Left> {
  const folder = join(gateway.data_folder, 'files')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const on_disk = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  return {
    rows: gateway.db.query<FileRow, []>('SELECT * FROM files ORDER BY id').all(),
    on_disk: on_disk.sort(),
  }
}

/** Asserts a refusal in the images' shape, and that it left nothing. */
export async function expectRefused(
  gateway: TestGateway,
  before: Left,
  response: Response,
  [status, code]: readonly [status: number, code: string],
): Promise<void> {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  const body = (await response.json()) as { error: Record<string, unknown> }
  expect([response.status, body]).toMatchObject([status, { error: { type, code } }])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error.message).toMatch(/\S/)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  expect(await leftIn(gateway)).toEqual(before)
  await gateway.atRest()
}
