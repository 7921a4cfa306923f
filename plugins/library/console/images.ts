// Console routes of generated images: list, one with its lineage, picture, thumbnail and deletion.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import { allNamed, type Unnamed } from '../../../src/app/surface/console/account-names.ts'
import { FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { allPages, CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { chosenAccount } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { conflict, notFound } from '../../../src/domain/errors.ts'
import { formatOf } from '../../../src/domain/image-formats.ts'
import { type CsvColumns, csvTime, csvUsd } from '../../../src/http/csv.ts'
import { ImageBytes } from '../../../src/http/image-answer.ts'
import { pageFields, pageOf } from '../../../src/http/paging.ts'
import { ZONE_PARAMETER } from '../../../src/http/period.ts'
import { Closed } from '../../../src/http/schema.ts'
import { findAnyGeneration, findGeneration, openGeneration } from '../../../src/library/generations.ts'
import type { PageRequest } from '../../../src/store/page.ts'
import type { Generation } from '../../../src/store/schema.ts'
import { visibleLine } from '../../../src/utilities/visible-text.ts'
import { listGenerations, removeGeneration } from '../history.ts'
import { lineageOf } from '../lineage.ts'
import { createThumbnails } from '../thumbnails.ts'
import {
  byOperator,
  type ContentRequest,
  type LibraryParts,
  logPrivateView,
  mayShow,
  type Picture,
  requireVisible,
  thumbnailOf,
  type ViewerRequest,
  wholePicture,
} from './content.ts'
import {
  ContentQuery,
  DeletedView,
  IMAGE_FILTERS,
  ImageParams,
  ImagesQuery,
  ImagesView,
  ImageView,
  imageView,
  type ListedImage,
  listedView,
} from './images-views.ts'

/** An account sees its own images. The operator sees account and cost of all images, and the content only on request. */
export const images = (gateway: LibraryParts) =>
  new Elysia({ name: 'console-images' }).use(lists(gateway)).use(pictures(gateway))

const ROWS_AT_ONCE = 250
const Filters = Closed(IMAGE_FILTERS)
const FileQuery = Closed({ ...IMAGE_FILTERS, ...ZONE_PARAMETER })

const COLUMNS: CsvColumns<Unnamed<Static<typeof ListedImage>>> = {
  id: ({ id }) => id,
  created_utc: ({ created_at_ms }) => csvTime(created_at_ms),
  account: ({ account }) => account,
  model: ({ model }) => model,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  width: ({ width }) => width,
  height: ({ height }) => height,
  bytes: ({ bytes }) => bytes,
  prompt: ({ prompt }) => (prompt === null ? null : visibleLine(prompt)),
  request_id: ({ request_id }) => request_id,
  cost_usd: ({ cost_nanos }) => csvUsd(cost_nanos),
}

function lists(gateway: LibraryParts) {
  const { library } = gateway.content.images
  const { db } = library

  /** Returns a reader of the pages of requested images. @throws GatewayError not_found for an account that the viewer may not see */
  async function reader(
    { viewer, origin }: ViewerRequest,
    { account: name, model, kind, content }: Static<typeof Filters>,
  ) {
    const account = await chosenAccount(db, viewer, name)
    const is_visible = mayShow(viewer, { content })
    if (is_visible) logPrivateView(gateway, { viewer, origin }, account?.name ?? null, 'images')
    return async (page: PageRequest) => {
      const { rows, next_cursor } = await listGenerations(db, { account_id: account?.id, model, kind }, page)
      return { rows: rows.map((row) => listedView(row, { viewer, is_visible })), next_cursor }
    }
  }

  return new Elysia({ name: 'console-images: listed' })
    .use(viewerCalls(gateway, { changes: 'call' }))
    .get(
      '/console/api/images',
      async ({ viewer, origin, query }) => {
        const read = await reader({ viewer, origin }, query)
        const { rows, next_cursor } = await read(pageOf(query))
        return { images: await allNamed(db, viewer, rows), ...pageFields({ next_cursor }) }
      },
      { query: ImagesQuery, response: { 200: ImagesView, ...FAILURES } },
    )
    .get(
      '/console/api/images.csv',
      async ({ viewer, origin, query: { zone, ...query } }) => {
        const parts = allPages(ROWS_AT_ONCE, await reader({ viewer, origin }, query))
        return listCsv(gateway, viewer, { list: 'images', columns: COLUMNS, parts, zone })
      },
      { query: FileQuery, response: { 200: CsvFile, ...FAILURES } },
    )
    .get(
      '/console/api/images/:id',
      async ({ viewer, origin, params, query }) => {
        const image = await find(gateway, viewer, params.id)
        const is_visible = mayShow(viewer, query)
        if (is_visible) logPrivateView(gateway, { viewer, origin }, null, `image ${image.uuid}`)
        return imageView(image, await lineageOf(db, image), { viewer, is_visible })
      },
      { params: ImageParams, query: ContentQuery, response: { 200: ImageView, ...FAILURES } },
    )
    .delete(
      '/console/api/images/:id',
      async ({ viewer, origin, params: { id } }) => {
        const { account_id } = await find(gateway, viewer, id)
        const by = byOperator(gateway, { viewer, origin })
        const outcome = await removeGeneration(library, account_id, id, by)
        if (outcome === 'under_way')
          throw conflict('This image is still being generated. Delete it afterwards.')
        return { id, deleted: true as const }
      },
      { params: ImageParams, response: { 200: DeletedView, ...FAILURES } },
    )
}

function pictures(gateway: LibraryParts) {
  const { library } = gateway.content.images
  const thumbnails = createThumbnails()

  /** @throws GatewayError as `find` and `requireVisible`; conflict while the image is still being generated */
  async function picture(
    { viewer, origin }: ViewerRequest,
    id: string,
    request: ContentRequest,
  ): Promise<Picture> {
    requireVisible(viewer, request)
    const image = await find(gateway, viewer, id)
    const { mime, uuid } = image
    if (mime === null)
      throw conflict(image.state === 'failed' ? 'This image failed.' : 'This image is still being generated.')
    logPrivateView(gateway, { viewer, origin }, null, `image ${uuid}`)
    const filename = `${uuid}.${formatOf(mime)}`
    return { name: uuid, mime, filename, open: () => openGeneration(library, image) }
  }

  return new Elysia({ name: 'console-images: pictures' })
    .use(viewerCalls(gateway))
    .get(
      '/console/api/images/:id/picture',
      async ({ viewer, origin, params, query, set }) =>
        wholePicture(set, await picture({ viewer, origin }, params.id, query)),
      { params: ImageParams, query: ContentQuery, response: { 200: ImageBytes, ...FAILURES } },
    )
    .get(
      '/console/api/images/:id/thumbnail',
      async ({ viewer, origin, params, query, set }) =>
        thumbnailOf(set, thumbnails, await picture({ viewer, origin }, params.id, query)),
      { params: ImageParams, query: ContentQuery, response: { 200: ImageBytes, ...FAILURES } },
    )
}

/** @throws GatewayError not_found for an image of another account */
async function find({ db }: Pick<Gateway, 'db'>, viewer: Viewer, id: string): Promise<Generation> {
  const own_id = accountOf(viewer)
  const image = await (own_id === undefined ? findAnyGeneration(db, id) : findGeneration(db, own_id, id))
  if (image) return image
  throw notFound('Image not found. It may have been deleted.', { param: 'id' })
}
