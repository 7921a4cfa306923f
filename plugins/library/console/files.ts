// Console routes of uploaded files: list with quota, upload, picture, thumbnail and deletion.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { allPages, CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { ensurePayingKey } from '../../../src/app/surface/console/paying-key.ts'
import { ACCOUNT_PARAMETER, requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { type CsvColumns, csvTime } from '../../../src/http/csv.ts'
import { ImageBytes } from '../../../src/http/image-answer.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../../src/http/paging.ts'
import { ZONE_PARAMETER } from '../../../src/http/period.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { TimeFields, time } from '../../../src/http/views.ts'
import {
  findFile,
  isStored,
  listFiles,
  openFile,
  removeFile,
  type StoredFile,
} from '../../../src/library/files.ts'
import { ownerOfKey } from '../../../src/library/names.ts'
import { usedBytes } from '../../../src/library/quota.ts'
import { FILE_QUOTA_BYTES } from '../../../src/media/limits.ts'
import type { PageRequest } from '../../../src/store/page.ts'
import { createThumbnails } from '../thumbnails.ts'
import {
  byOperator,
  CONTENT,
  keyForViewer,
  type LibraryParts,
  logPrivateView,
  mayShow,
  type Picture,
  requireVisible,
  thumbnailOf,
  type ViewerRequest,
  wholePicture,
} from './content.ts'

const FILTERS = { ...ACCOUNT_PARAMETER, ...CONTENT }
const Filters = Closed(FILTERS)
const FileQuery = Closed({ ...FILTERS, ...ZONE_PARAMETER })
const FilesQuery = Closed({ ...FILTERS, ...PAGE_PARAMETERS })
const AccountQuery = Closed(ACCOUNT_PARAMETER)
const OneQuery = Closed({ ...CONTENT, key: Type.String({ maxLength: 255, must: 'the key of a file' }) })

const FileView = Closed({
  key: Type.String(),
  /** Null if the operator has not requested the content. */
  name: Nullable(Type.String()),
  mime: Type.String(),
  bytes: Type.Integer(),
  width: Type.Integer(),
  height: Type.Integer(),
  state: OneOf(['stored', 'missing']),
  ...TimeFields('created'),
})

const FilesView = Closed({
  account: Type.String(),
  files: Type.Array(FileView),
  ...PAGE_FIELDS,
  quota: Closed({ used_bytes: Type.Integer(), limit_bytes: Type.Integer() }),
})

const DeletedView = Closed({ key: Type.String(), deleted: Type.Literal(true) })

/** The surface's own answer, checked there. */
const Uploaded = Type.Unsafe<unknown>(Type.Any({ description: 'as POST /api/v1/upload answers it' }))

/** Routes of an account's files; the operator names the account. Content is private to it, as with generated images. */
export const files = (gateway: LibraryParts) =>
  new Elysia({ name: 'console-files' }).use(upload(gateway)).use(lists(gateway)).use(pictures(gateway))

/** The upload, which counts as an upload by a key, with its limits. */
const upload = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-files: upload' })
    .use(viewerCalls(gateway, { bodies: 'own', changes: 'call' }))
    .post(
      '/console/api/files',
      async ({ viewer, origin, query, request }) => {
        const { id: key_id } = await ensurePayingKey(gateway, { viewer, origin }, query.account)
        return gateway.people.callInside({ arrived: request, path: '/api/v1/upload', key_id })
      },
      { parse: 'none', query: AccountQuery, response: { 200: Uploaded, ...FAILURES } },
    )

const ROWS_AT_ONCE = 250

const COLUMNS: CsvColumns<Static<typeof FileView>> = {
  key: ({ key }) => key,
  name: ({ name }) => name,
  created_utc: ({ created_at_ms }) => csvTime(created_at_ms),
  state: ({ state }) => state,
  mime: ({ mime }) => mime,
  bytes: ({ bytes }) => bytes,
  width: ({ width }) => width,
  height: ({ height }) => height,
}

function lists(gateway: LibraryParts) {
  const { library } = gateway.content.images
  const { db } = library

  /** Returns a reader of the pages of requested files. @throws GatewayError as `requireChosenAccount` */
  async function reader(
    { viewer, origin }: ViewerRequest,
    { account: name, content }: Static<typeof Filters>,
  ) {
    const account = await requireChosenAccount(db, viewer, name)
    const is_visible = mayShow(viewer, { content })
    if (is_visible) logPrivateView(gateway, { viewer, origin }, account.name, 'files')
    const read = async (page: PageRequest) => {
      const { rows, next_cursor } = await listFiles(db, account.id, page)
      return { rows: rows.map((row) => fileView(row, { is_visible, viewer })), next_cursor }
    }
    return { account, read }
  }

  return new Elysia({ name: 'console-files: listed' })
    .use(viewerCalls(gateway, { changes: 'call' }))
    .get(
      '/console/api/files',
      async ({ viewer, origin, query }) => {
        const { account, read } = await reader({ viewer, origin }, query)
        const { rows, next_cursor } = await read(pageOf(query))
        return {
          account: account.name,
          files: rows,
          ...pageFields({ next_cursor }),
          quota: { used_bytes: await usedBytes(db, account.id), limit_bytes: FILE_QUOTA_BYTES },
        }
      },
      { query: FilesQuery, response: { 200: FilesView, ...FAILURES } },
    )
    .get(
      '/console/api/files.csv',
      async ({ viewer, origin, query: { zone, ...query } }) => {
        const { read } = await reader({ viewer, origin }, query)
        const parts = allPages(ROWS_AT_ONCE, read)
        return listCsv(gateway, viewer, { list: 'files', columns: COLUMNS, parts, zone })
      },
      { query: FileQuery, response: { 200: CsvFile, ...FAILURES } },
    )
    .delete(
      '/console/api/files',
      async ({ viewer, origin, query: { key } }) => {
        const { account_id } = await find(gateway, viewer, key)
        await removeFile(library, account_id, key, byOperator(gateway, { viewer, origin }))
        return { key, deleted: true as const }
      },
      { query: OneQuery, response: { 200: DeletedView, ...FAILURES } },
    )
}

function pictures(gateway: LibraryParts) {
  const { library } = gateway.content.images
  const thumbnails = createThumbnails()

  async function picture(
    { viewer, origin }: ViewerRequest,
    { key, content }: Static<typeof OneQuery>,
  ): Promise<Picture> {
    requireVisible(viewer, { content })
    const file = await find(gateway, viewer, key)
    logPrivateView(gateway, { viewer, origin }, null, key)
    return { name: key, mime: file.mime, filename: file.name, open: () => openFile(library, file) }
  }

  return new Elysia({ name: 'console-files: pictures' })
    .use(viewerCalls(gateway))
    .get(
      '/console/api/files/picture',
      async ({ viewer, origin, query, set }) => wholePicture(set, await picture({ viewer, origin }, query)),
      { query: OneQuery, response: { 200: ImageBytes, ...FAILURES } },
    )
    .get(
      '/console/api/files/thumbnail',
      async ({ viewer, origin, query, set }) =>
        thumbnailOf(set, thumbnails, await picture({ viewer, origin }, query)),
      { query: OneQuery, response: { 200: ImageBytes, ...FAILURES } },
    )
}

/** @throws GatewayError not_found for a file of another account */
async function find({ db }: Pick<Gateway, 'db'>, viewer: Viewer, key: string): Promise<StoredFile> {
  const owner_id = ownerOfKey(key)
  const may_see = viewer.side === 'operator' || viewer.account_id === owner_id
  const file = may_see && owner_id !== undefined ? await findFile(db, owner_id, key) : undefined
  if (file && isStored(file)) return file
  throw notFound('File not found. It may have been deleted.', { param: 'key' })
}

function fileView(
  file: StoredFile,
  { is_visible, viewer }: { is_visible: boolean; viewer: Viewer },
): Static<typeof FileView> {
  const { key, name, mime, bytes, width, height, missing_since_ms, created_at_ms } = file
  return {
    key: keyForViewer(viewer, key),
    name: is_visible ? name : null,
    mime,
    bytes,
    width,
    height,
    state: missing_since_ms === null ? 'stored' : 'missing',
    ...time('created', created_at_ms),
  }
}
