// Owns the upload surface: POST /api/v1/upload, and the files that were uploaded: GET /api/v1/files, GET and DELETE of one.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { notFound } from '../../src/domain/errors.ts'
import { createMemoryBudget } from '../../src/exchange/memory-budget.ts'
import { failureAnswer, jsonAnswer } from '../../src/http/answers.ts'
import { imageAnswer } from '../../src/http/image-answer.ts'
import { renderImageError as render } from '../../src/http/image-error.ts'
import { readQuery } from '../../src/http/query.ts'
import { findFile, isStored, listFiles, openFile, removeFile } from '../../src/library/files.ts'
import { usedBytes } from '../../src/library/quota.ts'
import { FILE_QUOTA_BYTES } from '../../src/media/limits.ts'
import { serveFree } from '../../src/surface/free-call.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { originOf, type Server } from '../../src/surface/origin.ts'
import { DEFAULT_LIMIT, FilesQuery } from './model.ts'
import { receiveFiles, UPLOADING_BYTES } from './receive.ts'
import { fileView } from './views.ts'

/** An upload that must wait for others waits this long at most, then gets 429. */
const WAIT_MS = 60_000
const SURFACE = { surface: 'upload', forms: COMMON_FORMS, render }

/** `POST /api/v1/upload`; `GET /api/v1/files`; `GET` and `DELETE /api/v1/files/{key}`, whose slashes stay slashes. */
export function upload(gateway: Gateway) {
  const { library, log, newRequestId } = gateway
  const { db } = library
  const memory = createMemoryBudget({
    limit_bytes: UPLOADING_BYTES,
    wait_ms: WAIT_MS,
    reclaim: () => Bun.gc(true),
  })

  async function receive(request: Request, server: Server): Promise<Response> {
    const request_id = newRequestId()
    try {
      const stored = await receiveFiles(gateway, memory, originOf(request, request_id, server, SURFACE))
      return jsonAnswer({ uploaded: stored.map(fileView) }, request_id)
    } catch (thrown) {
      const refusal = failureAnswer({ thrown, request_id, render, log })
      // Otherwise the caller goes on uploading what nobody reads.
      refusal.headers.set('connection', 'close')
      return refusal
    }
  }

  function list(account_id: number, url: URL) {
    const { limit = DEFAULT_LIMIT, cursor } = readQuery(FilesQuery, url.searchParams)
    const { rows, next_cursor } = listFiles(db, account_id, { limit, cursor })
    return {
      files: rows.map(fileView),
      next_cursor: next_cursor ?? null,
      quota: { used_bytes: usedBytes(db, account_id), limit_bytes: FILE_QUOTA_BYTES },
    }
  }

  async function send(account_id: number, key: string): Promise<Response> {
    const file = findFile(db, account_id, key)
    const bytes = file && isStored(file) ? await openFile(library, file) : undefined
    if (!file || !bytes) throw noSuchFile()
    return imageAnswer({ bytes, mime: file.mime, filename: file.name })
  }

  async function remove(account_id: number, key: string) {
    if (!(await removeFile(library, account_id, key))) throw noSuchFile()
    return { key, deleted: true }
  }

  const serve = (request: Request, server: Server, answer: (account_id: number) => unknown) =>
    serveFree(gateway, { ...SURFACE, request, server, answer: ({ account }) => answer(account.id) })

  return new Elysia({ name: 'upload' })
    .post('/api/v1/upload', ({ request, server }) => receive(request, server), { parse: 'none' })
    .get('/api/v1/files', ({ request, server }) =>
      serve(request, server, (account_id) => list(account_id, new URL(request.url))),
    )
    .get('/api/v1/files/*', ({ request, params, server }) =>
      serve(request, server, (account_id) => send(account_id, keyIn(params['*']))),
    )
    .delete(
      '/api/v1/files/*',
      ({ request, params, server }) =>
        serve(request, server, (account_id) => remove(account_id, keyIn(params['*']))),
      { parse: 'none' },
    )
}

/** Clients that escape a key escape its slashes too. What cannot be read is no key, and is not found. */
function keyIn(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}

const noSuchFile = () =>
  notFound('There is no such file. GET /api/v1/files lists those that you have.', { code: 'IMAGE_NOT_FOUND' })
