// Callers' routes of generated images: GET /api/images/history, and GET and DELETE of one by id.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { freeCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { conflict, notFound, unprocessable } from '../../src/domain/errors.ts'
import { formatOf } from '../../src/domain/image-formats.ts'
import { imageAnswer } from '../../src/http/image-answer.ts'
import { renderImageError as render } from '../../src/http/image-error.ts'
import { pageFields, pageOf } from '../../src/http/paging.ts'
import { findGeneration, openGeneration } from '../../src/library/generations.ts'
import { listGenerations, removeGeneration } from './history.ts'
import { imageView, LIST, READ, REMOVE } from './model.ts'

const SURFACE = { surface: 'library', forms: COMMON_FORMS, render }

/** `GET /api/images/history`; `GET` and `DELETE /api/images/{id}`. An account sees its own images only. */
export function library(gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) {
  const { db } = gateway.content.images.library

  async function send(account_id: number, id: string): Promise<Response> {
    const image = await findGeneration(db, account_id, id)
    if (!image) throw noSuchImage()
    if (image.state === 'generating') throw notReady()
    const { mime, uuid } = image
    if (mime === null) throw generationFailed()
    const file = await openGeneration(gateway.content.images.library, image)
    if (!file) throw missingFile()
    return imageAnswer({ body: file.body(), mime, filename: `${uuid}.${formatOf(mime)}` })
  }

  return new Elysia({ name: 'library' })
    .use(freeCalls(gateway, SURFACE))
    .get(
      '/api/images/history',
      async ({ caller, query }) => {
        const { model, kind } = query
        const page = await listGenerations(db, { account_id: caller.account.id, model, kind }, pageOf(query))
        return { images: page.rows.map(imageView), ...pageFields(page) }
      },
      LIST,
    )
    .get('/api/images/:id', ({ caller, params }) => send(caller.account.id, params.id), READ)
    .delete(
      '/api/images/:id',
      async ({ caller, params: { id } }) => {
        const outcome = await removeGeneration(gateway.content.images.library, caller.account.id, id)
        if (outcome === 'absent') throw noSuchImage()
        if (outcome === 'under_way') throw notReady()
        return { id: id.toLowerCase(), deleted: true as const }
      },
      REMOVE,
    )
}

const noSuchImage = () =>
  notFound('Image not found. GET /api/images/history lists yours.', {
    code: 'generation_not_found',
  })
const missingFile = () =>
  notFound('This image is missing at the moment: its file cannot be found. Retry later, or DELETE it.', {
    code: 'generation_not_found',
  })
const notReady = () =>
  conflict('This image is still being made. Retry after 1 to 2 seconds.', {
    code: 'generation_not_ready',
    retry_after_s: 2,
  })
const generationFailed = () =>
  unprocessable('This image could not be made.', { code: 'generation_not_ready' })
