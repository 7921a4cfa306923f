// Large kept responses, read at no cost: unparsed, page by page, and within a memory of their own.
import { describe, expect, test } from 'bun:test'
import { BlobBytes, bodyOf } from '../../src/domain/stored-bytes.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { KeptResponse } from '../../src/responses/kept-responses.ts'
import { firstLine } from '../../src/responses/lines.ts'
import { FILES } from '../support/files.ts'
import { answerTo, fileResponsesScene, message, user } from './support.ts'

const { store, account_id, call, gateway, key } = await fileResponsesScene({
  more: '[responses]\nmax_mb_per_account = 2_000\n[limits]\nreads_per_minute = 10_000\n',
})

const MEGABYTE = 1024 * 1024
const text = (megabytes: number, letter = 'a') => letter.repeat(megabytes * MEGABYTE)
const newId = () => `resp_${crypto.randomUUID()}`

/** A response to an input, with an output as long as a test wants it. */
function responseTo(input: JsonObject[], output_text = 'Yes.'): KeptResponse {
  const made = answerTo(newId(), account_id)
  return { ...made, input, response: { ...made.response, output: [message(`msg_${made.id}`, output_text)] } }
}

async function keep(input: JsonObject[], output_text?: string): Promise<string> {
  const made = responseTo(input, output_text)
  await store.keep(made)
  return made.id
}

const itemsOf = async (id: string, query = '') => {
  const response = await call(`/v1/responses/${id}/input_items${query}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return (await response.json()) as { data: { id: string; content: JsonObject[] }[]; has_more: boolean }
}

/** The length of a whole answer, which is not parsed. */
async function bytesOf(path: string): Promise<number> {
  const response = await call(path)
  expect(response.status).toBe(200)
  return (await response.arrayBuffer()).byteLength
}

describe('GET /v1/responses/{id}', () => {
  test.each([
    ['of 5 MB', text(5)],
    ['with ends of lines in its text', 'a\nb\r\n"'.repeat(100_000)],
  ])('a response %s comes as it was answered, with its length and id', async (_, output_text) => {
    const made = responseTo([user('Hi.')], output_text)
    await store.keep(made)
    const response = await call(`/v1/responses/${made.id}`)
    expect(await response.clone().json()).toEqual(made.response)
    expect([response.status, response.headers.get('content-range')]).toEqual([200, null])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).not.toBe(null)
    const { byteLength } = await response.arrayBuffer()
    // A file from a bucket is passed on as it comes, without a length.
    const length = response.headers.get('content-length') ?? (FILES === 'bucket' ? byteLength : 'none')
    expect(Number(length)).toBe(byteLength)
  })
})

describe('the first of several lines', () => {
  const lines = (length: number) => Buffer.from(`${'r'.repeat(length)}\nsecond\n`)

  test.each([1, MEGABYTE - 1, MEGABYTE, MEGABYTE + 1, 3 * MEGABYTE])(
    'of %d bytes, in a file and in a row',
    async (length) => {
      const in_file = await firstLine(new BlobBytes(new Blob([lines(length)])))
      expect(await new Response(bodyOf(in_file)).text()).toBe('r'.repeat(length))
      expect(Buffer.from((await firstLine(lines(length))) as Uint8Array)).toEqual(Buffer.alloc(length, 'r'))
    },
  )

  test('that has no end was cut, and is refused', async () => {
    await expect(firstLine(new BlobBytes(new Blob(['{"id":"resp_1"'])))).rejects.toThrow(SyntaxError)
  })
})

describe('GET /v1/responses/{id}/input_items', () => {
  test.each([
    ['short', 'Hi.'],
    ['long', text(1)],
  ])('an item that is %s is listed in its full form', async (_, content) => {
    const id = await keep([user(content), user('and?')])
    const name = id.replace('resp_', '')
    expect((await itemsOf(id, '?order=asc')).data as unknown[]).toEqual([
      {
        id: `msg_${name}_0`,
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: content }],
      },
      expect.objectContaining({ id: `msg_${name}_1` }),
    ])
  })

  test('the long output of a response before it', async () => {
    const first = await keep([user('Hi.')], text(2))
    const id = newId()
    await store.keep(answerTo(id, account_id, { previous_id: first }))
    const [, output] = (await itemsOf(id)).data
    expect(output?.content[0]?.text).toHaveLength(2 * MEGABYTE)
  })

  test('a page ends where it is too large, and the next one goes on, in both orders', async () => {
    const id = await keep(['a', 'b', 'c', 'd'].map((letter) => user(text(6, letter))))
    for (const order of ['asc', 'desc']) {
      const pages: string[] = []
      for (let after = ''; ; ) {
        const { data, has_more } = await itemsOf(id, `?order=${order}&limit=100${after}`)
        pages.push(data.map(({ content }) => String(content[0]?.text).charAt(0)).join(''))
        if (!has_more) break
        after = `&after=${data.at(-1)?.id}`
      }
      expect(pages).toEqual(order === 'asc' ? ['abc', 'd'] : ['dcb', 'a'])
    }
  })

  test('memory is released by pages that were sent, by readers who disconnected, and by refusals', async () => {
    // An account may read two such responses at once.
    const id = await keep([user(text(20)), user('and?')])
    const path = `/v1/responses/${id}/input_items`
    for (let read = 0; read < 3; read += 1) expect(await bytesOf(path)).toBeGreaterThan(20 * MEGABYTE)
    for (let read = 0; read < 3; read += 1) expect((await call(`${path}?after=msg_none`)).status).toBe(400)
    for (let read = 0; read < 3; read += 1) {
      const leaving = new AbortController()
      const response = await fetch(new URL(path, gateway.url), {
        headers: { authorization: `Bearer ${key}` },
        signal: leaving.signal,
      })
      expect(response.status).toBe(200)
      leaving.abort()
    }
    expect(await bytesOf(path)).toBeGreaterThan(20 * MEGABYTE)
  })

  test('many requests at once are all answered', async () => {
    const path = `/v1/responses/${await keep([user(text(20))])}/input_items`
    const [length = 0, ...others] = await Promise.all(Array.from({ length: 4 }, () => bytesOf(path)))
    expect(length).toBeGreaterThan(20 * MEGABYTE)
    expect(others).toEqual(Array(3).fill(length))
  })

  test('a conversation whose file is missing is 404', async () => {
    const id = await keep([user(text(1))])
    gateway.db.query('UPDATE responses SET body_file = ? WHERE response_id = ?').run(crypto.randomUUID(), id)
    expect((await call(`/v1/responses/${id}/input_items`)).status).toBe(404)
    expect((await call(`/v1/responses/${id}`)).status).toBe(404)
  })
})
