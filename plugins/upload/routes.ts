// The upload surface: POST /api/v1/upload; GET /api/v1/files; GET and DELETE of one file.
import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { freeCalls, openCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { createMemoryBudget } from '../../src/calls/bodies/memory-budget.ts'
import { notFound } from '../../src/domain/errors.ts'
import { ImageBytes, imageAnswer } from '../../src/http/image-answer.ts'
import { renderImageError as render } from '../../src/http/image-error.ts'
import { PAGE_PARAMETERS, pageFields, pageOf } from '../../src/http/paging.ts'
import { decodePathPart } from '../../src/http/parameters.ts'
import { ErrorBody } from '../../src/http/plain-error.ts'
import { Closed, failures } from '../../src/http/schema.ts'
import { findFile, isStored, listFiles, openFile, removeFile } from '../../src/library/files.ts'
import { usedBytes } from '../../src/library/quota.ts'
import { FILE_QUOTA_BYTES } from '../../src/media/limits.ts'
import { receiveFiles, UPLOADING_BYTES } from './receive.ts'
import { DeletedView, FilesView, fileView, listedFileView, UploadedView } from './views.ts'

const FilesQuery = Closed(PAGE_PARAMETERS)

const KeyParams = Type.Object({
  '*': Type.String({
    title: 'key',
    description: 'The key of a file. Its slashes may be written as they are, or encoded.',
    examples: ['files/1/7c9e6679-7425-40de-944b-e07fc1f90ae7_house.png'],
  }),
})

/** spec.md, POST /api/v1/upload. Only for clients' types: receive.ts reads the form as a stream, and Elysia does not parse it. */
const UploadForm = t.Object({ files: t.Files() })
/** The same form for the API reference. */
const UploadFields = Type.Object({
  files: Type.Array(Type.String({ format: 'binary' }), { description: 'One or more images.' }),
})
const tags = ['Files']

/** An upload that waits for others longer than this gets 429. */
const WAIT_MS = 60_000
const SURFACE = { surface: 'upload', forms: COMMON_FORMS, render }

export const upload = (gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) =>
  new Elysia({ name: 'upload' }).use(uploadRoute(gateway)).use(fileRoutes(gateway))

/** The upload itself, which counts against rate limits and is admitted like a paid call. */
function uploadRoute(gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) {
  const memory = createMemoryBudget({
    limit_bytes: UPLOADING_BYTES,
    wait_ms: WAIT_MS,
    reclaim: () => Bun.gc(false),
  })
  return new Elysia({ name: 'upload: receiving' }).use(openCalls(gateway, SURFACE)).post(
    '/api/v1/upload',
    async ({ origin, set }) => {
      try {
        return { uploaded: (await receiveFiles(gateway, memory, origin)).map(fileView) }
      } catch (thrown) {
        // Closes the connection, because the caller would otherwise continue to send the rest of the body.
        set.headers.connection = 'close'
        throw thrown
      }
    },
    {
      parse: 'none',
      body: UploadForm,
      response: { 200: UploadedView, ...failures(ErrorBody, 400, 401, 403, 408, 413, 415, 429, 502, 503) },
      detail: {
        tags,
        operationId: 'uploadFiles',
        summary: 'Upload images',
        description:
          "JPEG, PNG, GIF or WebP, 25 MB each, 100 in a request; all of a request are stored, or none. The account's files may have 200 MB together. It costs nothing.",
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: UploadFields as object,
              examples: { 'A file': { value: { files: ['house.png'] } } },
            },
          },
        },
      },
    },
  )
}

/** The routes of an account's uploaded files. */
function fileRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) {
  const { library } = gateway.content.images
  const { db } = library

  async function send(account_id: number, key: string): Promise<Response> {
    const file = await findFile(db, account_id, key)
    if (!file || !isStored(file)) throw noSuchFile()
    const stored = await openFile(library, file)
    if (!stored) throw missing()
    return imageAnswer({ body: stored.body(), mime: file.mime, filename: file.name })
  }

  return new Elysia({ name: 'upload: stored' })
    .use(freeCalls(gateway, SURFACE))
    .get(
      '/api/v1/files',
      async ({ caller: { account }, query }) => {
        const page = await listFiles(db, account.id, pageOf(query))
        return {
          files: page.rows.map(listedFileView),
          ...pageFields(page),
          quota: { used_bytes: await usedBytes(db, account.id), limit_bytes: FILE_QUOTA_BYTES },
        }
      },
      {
        query: FilesQuery,
        response: { 200: FilesView, ...failures(ErrorBody, 400, 401, 403, 429, 502) },
        detail: {
          tags,
          operationId: 'listFiles',
          summary: 'List uploaded files',
          description: 'Newest first, with the quota.',
        },
      },
    )
    .get('/api/v1/files/*', ({ caller, params }) => send(caller.account.id, decodePathPart(params['*'])), {
      params: KeyParams,
      response: { 200: ImageBytes, ...failures(ErrorBody, 401, 403, 404, 429, 502, 503) },
      detail: { tags, operationId: 'getFile', summary: 'Read an uploaded file' },
    })
    .delete(
      '/api/v1/files/*',
      async ({ caller, params }) => {
        const key = decodePathPart(params['*'])
        if (!(await removeFile(library, caller.account.id, key))) throw noSuchFile()
        return { key, deleted: true as const }
      },
      {
        parse: 'none',
        params: KeyParams,
        response: { 200: DeletedView, ...failures(ErrorBody, 401, 403, 404, 429, 502, 503) },
        detail: {
          tags,
          operationId: 'deleteFile',
          summary: 'Delete an uploaded file',
          description: 'Its bytes no longer count against the quota.',
        },
      },
    )
}

const noSuchFile = () =>
  notFound('File not found. GET /api/v1/files lists yours.', { code: 'IMAGE_NOT_FOUND' })
const missing = () =>
  notFound('This file is missing at the moment: its bytes cannot be found. Retry later, or DELETE it.', {
    code: 'IMAGE_NOT_FOUND',
  })
