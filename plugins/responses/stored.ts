// The surface of kept responses: GET and DELETE /v1/responses/{id}, and GET of the items that one was made from.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { invalidRequest, notFound } from '../../src/domain/errors.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { freeCalls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { failures } from '../../src/surface/responses.ts'
import { withItsPictures } from './kept-pictures.ts'
import { itemsPage } from './stored-items.ts'
import {
  DeletedView,
  ItemsQuery,
  ItemsView,
  OpenAIError,
  ResponseParams,
  ResponseView,
  RetrieveQuery,
} from './stored-views.ts'

const SURFACE = { surface: 'responses', forms: COMMON_FORMS, render: openai.renderError }
const FAILURES = failures(OpenAIError, 400, 401, 403, 404, 429, 500, 503)

/** An account sees its own responses only, of all of its keys. */
export function storedResponses({ responses, ...gateway }: Gateway) {
  return new Elysia({ name: 'responses: stored' })
    .use(freeCalls(gateway, SURFACE))
    .get(
      '/v1/responses/:id',
      async ({ caller, params: { id } }) => {
        const kept = await responses.find(caller.account.id, id)
        if (!kept) throw noSuchResponse(id)
        return { ...(await withItsPictures(gateway.library, caller.account.id, kept.response)), id }
      },
      { params: ResponseParams, query: RetrieveQuery, response: { 200: ResponseView, ...FAILURES } },
    )
    .get(
      '/v1/responses/:id/input_items',
      ({ caller, params: { id }, query }) => {
        const order = query.order === 'asc' ? 'oldest first' : 'newest first'
        const turns = responses.turnsUntil(caller.account.id, id, order)
        if (!turns) throw noSuchResponse(id)
        return itemsPage(turns, id, query)
      },
      { params: ResponseParams, query: ItemsQuery, response: { 200: ItemsView, ...FAILURES } },
    )
    .delete(
      '/v1/responses/:id',
      async ({ caller, params: { id } }) => {
        if (!(await responses.remove(caller.account.id, id))) throw noSuchResponse(id)
        return { id, object: 'response' as const, deleted: true as const }
      },
      { parse: 'none', params: ResponseParams, response: { 200: DeletedView, ...FAILURES } },
    )
    .post(
      '/v1/responses/:id/cancel',
      async ({ caller, params: { id } }): Promise<never> => {
        if (!(await responses.find(caller.account.id, id))) throw noSuchResponse(id)
        throw invalidRequest(
          'Only responses that are made in the background can be cancelled, and none are made so here. To end one, close its connection.',
        )
      },
      { parse: 'none', params: ResponseParams, response: FAILURES },
    )
}

/** Ids of other accounts are as unknown as those that never were. */
const noSuchResponse = (id: string) =>
  notFound(
    `There is no response "${id.slice(0, MAX_ID_CHARS)}". It may be deleted or past its time, or it was made with store: false.`,
  )
const MAX_ID_CHARS = 64
