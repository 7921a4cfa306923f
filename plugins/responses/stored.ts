// The surface of kept responses: GET and DELETE /v1/responses/{id}, and GET of the items that one was made from.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { invalidRequest, notFound } from '../../src/domain/errors.ts'
import { createBodyMemory } from '../../src/exchange/body-memory.ts'
import { createParser } from '../../src/exchange/parser.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { freeCalls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { failures } from '../../src/surface/responses.ts'
import { shownBytes } from './kept-pictures.ts'
import { pieceByPiece } from './pieces.ts'
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
const JSON_HEADERS = { headers: { 'content-type': 'application/json' } }
/** Of large responses that are read at the same time; one that is larger is read alone. */
const READ_MEMORY = {
  limit_bytes: 192 * 1024 * 1024,
  account_limit_bytes: 96 * 1024 * 1024,
  wait_ms: 60_000,
  reserved_ms: 2_000,
}
const FAILURES = failures(OpenAIError, 400, 401, 403, 404, 429, 500, 503)

/** An account sees its own responses only, of all of its keys. */
export function storedResponses({ responses, ...gateway }: Gateway) {
  // Apart from those of paid calls: who reads at no cost takes nothing from them.
  const memory = createBodyMemory(READ_MEMORY)
  const parser = createParser(gateway)

  async function list(
    { account_id, id, gone }: { account_id: number; id: string; gone: AbortSignal },
    query: Static<typeof ItemsQuery>,
  ): Promise<Response> {
    const order = query.order === 'asc' ? 'oldest first' : 'newest first'
    const turns = responses.turnsUntil(account_id, id, order)
    if (!turns) throw noSuchResponse(id)
    const share = memory.open(account_id)
    gone.addEventListener('abort', share.release, { once: true })
    try {
      const page = await itemsPage(turns, id, query, { memory: share, parser, gone })
      return new Response(pieceByPiece(page, share.release), JSON_HEADERS)
    } catch (thrown) {
      share.release()
      throw thrown
    }
  }

  return new Elysia({ name: 'responses: stored' })
    .use(freeCalls(gateway, SURFACE))
    .get(
      '/v1/responses/:id',
      async ({ caller, params: { id } }) => {
        const kept = await responses.open(caller.account.id, id)
        if (!kept) throw noSuchResponse(id)
        return new Response(await shownBytes(gateway.library, caller.account.id, kept), JSON_HEADERS)
      },
      { params: ResponseParams, query: RetrieveQuery, response: { 200: ResponseView, ...FAILURES } },
    )
    .get(
      '/v1/responses/:id/input_items',
      ({ caller, params: { id }, query, request }) =>
        list({ account_id: caller.account.id, id, gone: request.signal }, query),
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
      ({ caller, params: { id } }): never => {
        if (responses.bytesUntil(caller.account.id, id) === undefined) throw noSuchResponse(id)
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
