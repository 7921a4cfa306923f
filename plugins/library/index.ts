// Owns the surface of produced images: GET /api/images/history, and GET and DELETE of one by its id.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { conflict, notFound, unprocessable } from '../../src/domain/errors.ts'
import { formatOf } from '../../src/domain/image-formats.ts'
import { imageAnswer } from '../../src/http/image-answer.ts'
import { renderImageError as render } from '../../src/http/image-error.ts'
import { readQuery } from '../../src/http/query.ts'
import { findGeneration } from '../../src/library/generations.ts'
import { listGenerations, removeGeneration } from '../../src/library/history.ts'
import { serveFree } from '../../src/surface/free-call.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import type { Server } from '../../src/surface/origin.ts'
import { DEFAULT_LIMIT, HistoryQuery, imageView, requireUuid } from './model.ts'

const SURFACE = { surface: 'library', forms: COMMON_FORMS, render }

/** `GET /api/images/history`; `GET` and `DELETE /api/images/{id}`. An account sees its own images only. */
export function library(gateway: Gateway) {
  const { db, images } = gateway.library

  function history(account_id: number, url: URL) {
    const { model, kind, limit = DEFAULT_LIMIT, cursor } = readQuery(HistoryQuery, url.searchParams)
    const page = listGenerations(db, { account_id, model, kind }, { limit, cursor })
    return { images: page.rows.map(imageView), next_cursor: page.next_cursor ?? null }
  }

  async function send(account_id: number, id: string): Promise<Response> {
    const image = findGeneration(db, account_id, requireUuid(id))
    if (!image) throw noSuchImage()
    if (image.state === 'generating') throw notReady()
    const { mime, file_key, uuid } = image
    if (mime === null || file_key === null) throw neverMade()
    const bytes = await images.open(file_key)
    if (!bytes) throw noSuchImage()
    return imageAnswer({ bytes, mime, filename: `${uuid}.${formatOf(mime)}` })
  }

  async function remove(account_id: number, id: string) {
    const outcome = await removeGeneration(gateway.library, account_id, requireUuid(id))
    if (outcome === 'absent') throw noSuchImage()
    if (outcome === 'under_way') throw notReady()
    return { id: id.toLowerCase(), deleted: true }
  }

  const serve = (request: Request, server: Server, answer: (account_id: number) => unknown) =>
    serveFree(gateway, { ...SURFACE, request, server, answer: ({ account }) => answer(account.id) })

  return new Elysia({ name: 'library' })
    .get('/api/images/history', ({ request, server }) =>
      serve(request, server, (account_id) => history(account_id, new URL(request.url))),
    )
    .get('/api/images/:id', ({ request, params, server }) =>
      serve(request, server, (account_id) => send(account_id, params.id)),
    )
    .delete(
      '/api/images/:id',
      ({ request, params, server }) => serve(request, server, (account_id) => remove(account_id, params.id)),
      { parse: 'none' },
    )
}

const noSuchImage = () =>
  notFound('There is no such image. GET /api/images/history lists those that you have.', {
    code: 'generation_not_found',
  })
const notReady = () =>
  conflict('This image is still being made. Retry after 1 to 2 seconds.', {
    code: 'generation_not_ready',
    retry_after_s: 2,
  })
const neverMade = () =>
  unprocessable('This image could not be made: there is nothing to send.', { code: 'generation_not_ready' })
