// Two gateways over one database and one bucket: each serves, lists, continues and deletes the files of the other; a start removes none.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type FileStores, fileStoresOf } from '../../src/app/process/files/stores.ts'
import { DRAW, LARGE_TEXT, MUCH, provider } from '../app/process/files/provider.ts'
import { GENERATIONS, PNG } from '../images/support.ts'
import { MODEL } from '../support/catalogue.ts'
import { hasPostgres } from '../support/postgres.ts'
import { hasS3Server, partOf, sharedS3Server } from '../support/s3-server.ts'
import { heldBack } from '../support/upstream.ts'
import { BOUNDARY, formOf } from '../upload/support.ts'
import { type World, world } from './world.ts'

describe.if(hasPostgres && hasS3Server)('two gateways with one bucket', () => {
  let files: FileStores
  let w: World
  beforeAll(async () => {
    const bucket = partOf(await sharedS3Server())
    files = fileStoresOf({ files: bucket }, '/nowhere')
    w = await world({ gateways: 2, script: provider, files: bucket })
  })
  afterAll(async () => {
    await w[Symbol.asyncDispose]()
    files[Symbol.dispose]()
  })

  test('serve, list, continue, replay and delete files that the other stored', async () => {
    const key = await w.caller('100')
    const at = (member: number, path: string, init: RequestInit = {}) =>
      fetch(new URL(path, w.members[member]?.url), {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...init.headers },
      })
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
    const json = async (answer: Promise<Response>): Promise<any> => {
      const text = await (await answer).text()
      expect([(await answer).status, text]).toEqual([200, expect.any(String)])
      return JSON.parse(text)
    }

    // An image of one is listed, served and deleted by the other.
    await json(w.call(0, GENERATIONS, DRAW, key))
    const { images } = await json(at(1, '/api/images/history'))
    expect(images).toHaveLength(1)
    const served = await at(1, `/api/images/${images[0].id}`)
    expect([served.status, (await served.bytes()).length > 0]).toEqual([200, true])
    expect((await at(1, `/api/images/${images[0].id}`, { method: 'DELETE' })).status).toBeLessThan(300)
    expect((await at(0, `/api/images/${images[0].id}`)).status).toBe(404)
    expect(await Array.fromAsync(files.images.list())).toEqual([])

    // An upload to one is a source of an image that the other makes.
    const form = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    const { uploaded } = await json(
      at(0, '/api/v1/upload', { method: 'POST', body: formOf([{ bytes: PNG }]), headers: form }),
    )
    await json(w.call(1, '/v1/images/compose', { ...DRAW, image_keys: [uploaded[0].key] }, key))

    // An answer kept by one is replayed by the other; a response is continued by it.
    const repeated = { 'idempotency-key': 'once' }
    const first = await w.call(0, '/v1/chat/completions', MUCH, key, repeated)
    const text = await first.text()
    const again = await w.call(1, '/v1/chat/completions', MUCH, key, repeated)
    expect([await again.text(), again.headers.get('idempotent-replayed')]).toEqual([text, 'true'])
    expect(text).toContain(LARGE_TEXT)
    const { id } = await json(w.call(0, '/v1/responses', { model: MODEL, input: 'much' }, key))
    await json(w.call(1, '/v1/responses', { model: MODEL, input: 'on', previous_response_id: id }, key))
    expect((await at(1, `/v1/responses/${id}`)).status).toBe(200)
    await w.rest()
  })

  test('of which one starts remove no file that the other is writing', async () => {
    const { script, received, release } = heldBack(provider)
    w.upstream.answer(script)
    const before = (await Array.fromAsync(files.images.list())).length
    const key = await w.caller('100')
    const drawing = w.call(0, GENERATIONS, DRAW, key)
    await received
    // Like the file of a call whose row is not written yet.
    const unnamed = crypto.randomUUID()
    await files.answers.put(unnamed, PNG)
    await files.responses.put(unnamed, PNG)
    await files.images.put(`1/${unnamed}.png`, PNG)
    const joined = await w.join()
    release()
    expect((await drawing).status).toBe(200)
    expect([await files.answers.has(unnamed), await files.responses.has(unnamed)]).toEqual([true, true])
    expect((await Array.fromAsync(files.images.list())).length).toBe(before + 2)
    expect((await fetch(new URL('/readyz', joined.url))).status).toBe(200)
    await w.rest()
  })
})
