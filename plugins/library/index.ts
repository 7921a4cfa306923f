// The surface of produced images: GET /api/images/history, and GET and DELETE of one by its id.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { conflict, notFound, unprocessable } from '../../src/domain/errors.ts'
import { formatOf } from '../../src/domain/image-formats.ts'
import { ImageBytes, imageAnswer } from '../../src/http/image-answer.ts'
import { renderImageError as render } from '../../src/http/image-error.ts'
import { pageFields, pageOf } from '../../src/http/paging.ts'
import { ErrorBody } from '../../src/http/plain-error.ts'
import { findGeneration, openGeneration } from '../../src/library/generations.ts'
import { listGenerations, removeGeneration } from '../../src/library/history.ts'
import { freeCalls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { failures } from '../../src/surface/responses.ts'
import { DeletedView, HistoryQuery, HistoryView, ImageParams, imageView } from './model.ts'

const SURFACE = { surface: 'library', forms: COMMON_FORMS, render }

/** `GET /api/images/history`; `GET` and `DELETE /api/images/{id}`. An account sees its own images only. */
export function library(gateway: Gateway) {
  const { db } = gateway.library

  async function send(account_id: number, id: string): Promise<Response> {
    const image = findGeneration(db, account_id, id)
    if (!image) throw noSuchImage()
    if (image.state === 'generating') throw notReady()
    const { mime, uuid } = image
    if (mime === null) throw neverMade()
    const bytes = await openGeneration(gateway.library, image)
    if (!bytes) throw missing()
    return imageAnswer({ bytes, mime, filename: `${uuid}.${formatOf(mime)}` })
  }

  return new Elysia({ name: 'library' })
    .use(freeCalls(gateway, SURFACE))
    .get(
      '/api/images/history',
      ({ caller, query }) => {
        const { model, kind } = query
        const page = listGenerations(db, { account_id: caller.account.id, model, kind }, pageOf(query))
        return { images: page.rows.map(imageView), ...pageFields(page) }
      },
      {
        query: HistoryQuery,
        response: { 200: HistoryView, ...failures(ErrorBody, 400, 401, 403, 429, 502) },
      },
    )
    .get('/api/images/:id', ({ caller, params }) => send(caller.account.id, params.id), {
      params: ImageParams,
      response: { 200: ImageBytes, ...failures(ErrorBody, 400, 401, 403, 404, 409, 422, 429, 502) },
    })
    .delete(
      '/api/images/:id',
      async ({ caller, params: { id } }) => {
        const outcome = await removeGeneration(gateway.library, caller.account.id, id)
        if (outcome === 'absent') throw noSuchImage()
        if (outcome === 'under_way') throw notReady()
        return { id: id.toLowerCase(), deleted: true as const }
      },
      {
        parse: 'none',
        params: ImageParams,
        response: { 200: DeletedView, ...failures(ErrorBody, 400, 401, 403, 404, 409, 429, 502) },
      },
    )
}

const noSuchImage = () =>
  notFound('There is no such image. GET /api/images/history lists those that you have.', {
    code: 'generation_not_found',
  })
const missing = () =>
  notFound('This image is missing at the moment: its file cannot be found. Retry later, or DELETE it.', {
    code: 'generation_not_found',
  })
const notReady = () =>
  conflict('This image is still being made. Retry after 1 to 2 seconds.', {
    code: 'generation_not_ready',
    retry_after_s: 2,
  })
const neverMade = () =>
  unprocessable('This image could not be made: there is nothing to send.', { code: 'generation_not_ready' })
