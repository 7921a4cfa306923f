// The surface of kept responses: read, listed and deleted over a socket, by their account only.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { answerTo, fileResponsesScene, LARGE, message, user } from './support.ts'

const { store, account_id, call, gateway, key } = await fileResponsesScene()
const other = await gateway.caller()
const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
let count = 0
const newId = () => `resp_${++count}`

/** Keeps a conversation of this many responses. @returns their ids */
async function conversation(length: number, text?: string): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < length; made += 1) {
    const id = newId()
    await store.keep(answerTo(id, account_id, { previous_id: ids.at(-1), ...(text ? { text } : {}) }))
    ids.push(id)
  }
  return ids
}
const read = async (response: Response) => ({
  status: response.status,
  body: (await response.json()) as JsonObject,
})

describe('GET /v1/responses/{id}', () => {
  test.each([
    ['in its row', 'Hello.'],
    ['in a file', LARGE],
  ])('a response that is kept %s, as it was answered', async (_, text) => {
    const kept = answerTo(newId(), account_id, { text })
    await store.keep(kept)
    expect(await read(await call(`/v1/responses/${kept.id}`))).toEqual({ status: 200, body: kept.response })
  })

  test("by OpenAI's SDK, with parameters that change nothing here", async () => {
    const [id = ''] = await conversation(1)
    const got = await sdk.responses.retrieve(id, { include: ['message.output_text.logprobs'], stream: false })
    expect([got.id, got.output_text]).toEqual([id, `You said: asked by ${id}`])
  })

  test('by every key of its account', async () => {
    const [id] = await conversation(1)
    const account = gateway.rows().accounts.find((row) => row.id === account_id)
    const second = await gateway.key(account?.name ?? '')
    expect((await call(`/v1/responses/${id}`, undefined, { key: second })).status).toBe(200)
  })
})

describe('DELETE /v1/responses/{id}', () => {
  test('answers with the deleted id, once', async () => {
    const [id] = await conversation(1)
    const remove = () => call(`/v1/responses/${id}`, undefined, { method: 'DELETE' })
    expect(await read(await remove())).toEqual({
      status: 200,
      body: { id: id ?? '', object: 'response', deleted: true },
    })
    expect((await remove()).status).toBe(404)
    expect((await call(`/v1/responses/${id}`)).status).toBe(404)
    expect((await call(`/v1/responses/${id}/input_items`)).status).toBe(404)
  })

  test("by OpenAI's SDK", async () => {
    const [id = ''] = await conversation(1)
    await sdk.responses.delete(id)
    expect((await call(`/v1/responses/${id}`)).status).toBe(404)
  })
})

describe('GET /v1/responses/{id}/input_items', () => {
  const list = async (id: string | undefined, query = '') =>
    await read(await call(`/v1/responses/${id}/input_items${query}`))
  const texts = (body: JsonObject) =>
    (body.data as { content: { text: string }[] }[]).map(({ content }) => content[0]?.text)

  test('the conversation that the response was made from, the newest item first; not its own output', async () => {
    const [first, second] = await conversation(2)
    const { status, body } = await list(second)
    expect(status).toBe(200)
    expect(texts(body)).toEqual([`asked by ${second}`, `You said: asked by ${first}`, `asked by ${first}`])
    expect(texts((await list(second, '?order=asc')).body)).toEqual(texts(body).reverse())
    expect(body).toMatchObject({ object: 'list', has_more: false })
  })

  test('a message that was sent in short is listed in full', async () => {
    const id = newId()
    const input = [user('Hi.'), { role: 'assistant', content: 'Yes?' }, { type: 'reasoning', summary: [] }]
    await store.keep({ ...answerTo(id, account_id), input })
    const { body } = await list(id, '?order=asc')
    expect(body.data).toEqual([
      {
        id: `msg_${count}_0`,
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'Hi.' }],
      },
      {
        id: `msg_${count}_1`,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Yes?', annotations: [] }],
      },
      { id: `rs_${count}_2`, type: 'reasoning', summary: [] },
    ])
    expect([body.first_id, body.last_id]).toEqual([`msg_${count}_0`, `rs_${count}_2`])
  })

  test.each(['asc', 'desc'] as const)('every item once, page by page, %s', async (order) => {
    const ids = await conversation(5)
    const whole = (await list(ids.at(-1), `?order=${order}&limit=100`)).body.data as { id: string }[]
    const paged: string[] = []
    for await (const item of sdk.responses.inputItems.list(ids.at(-1) ?? '', { order, limit: 2 }))
      paged.push(String(item.id))
    expect(paged).toEqual(whole.map(({ id }) => id))
    expect(paged).toHaveLength(9)
  })

  test('an item that was sent again is listed once, so that pages end', async () => {
    const [first] = await conversation(1)
    const again = message(`msg_${first}`, 'again')
    const id = newId()
    await store.keep({ ...answerTo(id, account_id, { previous_id: first }), input: [again, user('go on')] })
    const ids: unknown[] = []
    for await (const item of sdk.responses.inputItems.list(id, { order: 'asc', limit: 1 })) ids.push(item.id)
    expect(ids).toHaveLength(3)
  })

  test('a response without input has an empty list', async () => {
    const id = newId()
    await store.keep({ ...answerTo(id, account_id), input: [] })
    expect((await list(id)).body).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    })
  })

  test.each([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?order=up', 'order'],
    ['?after=msg_none', 'after'],
    ['?after=', 'after'],
    ['?before=msg_1', 'before'],
    ['?limit=1&limit=2', 'limit'],
  ])('%s: 400', async (query, param) => {
    const [id] = await conversation(1)
    expect(await list(id, query)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param } },
    })
  })
})

describe('refusals', () => {
  const ROUTES = [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
  ] as const

  test.each(ROUTES)(
    "%s …%s of another account's response: 404, as of an unknown one",
    async (method, rest) => {
      const [id] = await conversation(1)
      const ask = async (of: string | undefined, as: string) =>
        await read(await call(`/v1/responses/${of}${rest}`, undefined, { method, key: as }))
      const foreign = await ask(id, other)
      const unknown = await ask('resp_unknown', key)
      expect(foreign).toMatchObject({
        status: 404,
        body: { error: { type: 'invalid_request_error', param: null, code: 'not_found' } },
      })
      expect(JSON.stringify(foreign.body).replace(String(id), 'resp_unknown')).toBe(
        JSON.stringify(unknown.body),
      )
      expect((await call(`/v1/responses/${id}`)).status).toBe(200)
    },
  )

  test.each(ROUTES)("%s …%s without a key: 401 in OpenAI's shape", async (method, rest) => {
    const answer = await read(await gateway.call(`/v1/responses/resp_1${rest}`, undefined, { method }))
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } })
  })

  test('a complete response is neither streamed again nor cancelled', async () => {
    const [id] = await conversation(1)
    expect(await read(await call(`/v1/responses/${id}?stream=true`))).toMatchObject({
      status: 400,
      body: { error: { param: 'stream' } },
    })
    const cancel = await read(await call(`/v1/responses/${id}/cancel`, undefined, { method: 'POST' }))
    expect(cancel.status).toBe(400)
    expect(JSON.stringify(cancel.body)).toContain('background')
  })

  test('none of these requests costs anything', async () => {
    const { calls, holds, entries } = await gateway.atRest()
    expect([calls, holds, entries.filter(({ kind }) => kind === 'charge')]).toEqual([[], [], []])
  })
})
