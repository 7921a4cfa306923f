// Refusals in the shape of the image and upload endpoints, and the check that a refused request leaves nothing.
import { expect } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileStore } from '../../src/media/store.ts'
import type { FileRow, Generation } from '../../src/store/schema.ts'
import type { TestGateway } from './gateway.ts'

/** The lasting effects of image and upload requests. */
interface Stored {
  generations: Generation[]
  files: FileRow[]
  /** Names of files, complete or not. */
  on_disk: string[]
  cost_nanos: number
}

export async function storedIn({ db, data_folder, files }: TestGateway): Promise<Stored> {
  const on_disk = await Promise.all(
    (['images', 'files'] as const).map((name) =>
      files.bucket ? objectsIn(files[name]) : filesBelow(join(data_folder, name)),
    ),
  )
  return {
    generations: db.query<Generation, []>("SELECT * FROM generations WHERE state <> 'failed'").all(),
    files: db.query<FileRow, []>('SELECT * FROM files ORDER BY id').all(),
    on_disk: on_disk.flat().sort(),
    cost_nanos:
      db.query<{ sum: number }, []>('SELECT coalesce(sum(cost_nanos), 0) AS sum FROM calls').get()?.sum ?? 0,
  }
}

/** Objects are complete, unlike files. */
const objectsIn = async (store: FileStore): Promise<string[]> =>
  (await Array.fromAsync(store.list())).map(({ key }) => key)

async function filesBelow(folder: string): Promise<string[]> {
  // The folder does not exist before its first file.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** Status, code, and the field at fault. */
export type Refusal = readonly [status: number, code: string, param?: string]

/** Asserts a refusal that holds, stores and charges nothing, and leaves no files. */
export async function expectRefused(
  gateway: TestGateway,
  before: Stored,
  response: Response,
  [status, code, param]: Refusal,
): Promise<void> {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  const body = (await response.json()) as { error: Record<string, unknown> }
  expect([response.status, body]).toMatchObject([status, { error: { type, code } }])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error.message).toMatch(/\S/)
  if (param !== undefined) expect(body.error.param).toBe(param)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  expect(await storedIn(gateway)).toEqual(before)
  await gateway.rest()
}
