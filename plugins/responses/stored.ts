// The routes of kept responses: GET and DELETE /v1/responses/{id}, and GET of the items that a response was made from.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { freeCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { createBodyMemory } from '../../src/calls/bodies/memory.ts'
import { responseBytes } from '../../src/calls/responses/kept-pictures.ts'
import { invalidRequest, notFound } from '../../src/domain/errors.ts'
import { bodyOf } from '../../src/domain/stored-bytes.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { itemsPage } from './stored-items.ts'
import { CANCEL, type ItemsQuery, LIST, READ, REMOVE } from './stored-views.ts'

const SURFACE = { surface: 'responses', forms: COMMON_FORMS, render: openai.renderError }
const JSON_HEADERS = { headers: { 'content-type': 'application/json' } }
/** The memory for large responses that are read at the same time. A larger response is read alone. */
const READ_MEMORY = {
  limit_bytes: 192 * 1024 * 1024,
  account_limit_bytes: 96 * 1024 * 1024,
  wait_ms: 60_000,
  reserved_ms: 2_000,
}

/** An account sees only its own responses, those of all its keys. */
export function storedResponses(gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) {
  const { responses, images } = gateway.content
  // Separate from the memory of paid calls, so that free reads do not reduce it.
  const memory = createBodyMemory(READ_MEMORY)

  async function list(
    { account_id, id, gone }: { account_id: number; id: string; gone: AbortSignal },
    query: Static<typeof ItemsQuery>,
  ): Promise<Response> {
    const order = query.order === 'asc' ? 'oldest first' : 'newest first'
    const turns = await responses.turnsUntil(account_id, id, order)
    if (!turns) throw noSuchResponse(id)
    const share = memory.open(account_id)
    gone.addEventListener('abort', share.release, { once: true })
    try {
      const page = await itemsPage(turns, id, query, { memory: share, gone })
      return new Response(streamPieces(page, share.release), JSON_HEADERS)
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
        return new Response(
          bodyOf(await responseBytes(images.library, caller.account.id, kept)),
          JSON_HEADERS,
        )
      },
      READ,
    )
    .get(
      '/v1/responses/:id/input_items',
      ({ caller, params: { id }, query, request }) =>
        list({ account_id: caller.account.id, id, gone: request.signal }, query),
      LIST,
    )
    .delete(
      '/v1/responses/:id',
      async ({ caller, params: { id } }) => {
        if (!(await responses.remove(caller.account.id, id))) throw noSuchResponse(id)
        return { id, object: 'response' as const, deleted: true as const }
      },
      REMOVE,
    )
    .post(
      '/v1/responses/:id/cancel',
      async ({ caller, params: { id } }): Promise<never> => {
        if ((await responses.bytesUntil(caller.account.id, id)) === undefined) throw noSuchResponse(id)
        throw invalidRequest(
          'Only responses that are made in the background can be cancelled, and none are made so here. To end one, close its connection.',
        )
      },
      CANCEL,
    )
}

/** The same error for unknown ids and for responses of other accounts. */
const noSuchResponse = (id: string) =>
  notFound(
    `Response "${id.slice(0, MAX_ID_CHARS)}" not found. It was deleted, has expired, or was made with store: false.`,
  )
const MAX_ID_CHARS = 64

/**
 * Streams the pieces of a page with backpressure.
 * @param done called once, when the last piece was taken or the caller disconnected
 */
function streamPieces(pieces: readonly Uint8Array[], done: () => void): ReadableStream<Uint8Array> {
  const left = pieces.values()
  return new ReadableStream({
    pull(controller) {
      const { value } = left.next()
      if (value) return controller.enqueue(value)
      done()
      controller.close()
    },
    cancel: done,
  })
}
