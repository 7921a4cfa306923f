// An outage of the bucket of a running gateway: requests that need files are refused before they cost anything, all others go on.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { APIError, toFile } from 'openai'
import type { Bucket } from '../../../../src/domain/catalogue.ts'
import { PAID, send } from '../../../idempotency/support.ts'
import { draws, GENERATIONS, PNG } from '../../../images/support.ts'
import { MODEL } from '../../../support/catalogue.ts'
import { eventually } from '../../../support/eventually.ts'
import { startRefusingProxy } from '../../../support/s3-refusals.ts'
import { hasS3Server, partOf, type S3Server, startS3Server } from '../../../support/s3-server.ts'
import { type Scene, scene } from '../../../support/scene.ts'
import { formOf, post, upload } from '../../../upload/support.ts'
import { DRAW, MUCH, provider } from './provider.ts'

describe.skipIf(!hasS3Server)('a gateway whose bucket', () => {
  let s3: S3Server
  let s: Scene
  let openai: OpenAI
  let bucket: Bucket
  beforeAll(async () => {
    s3 = await startS3Server('files')
    bucket = partOf(s3)
    s = await scene({ bucket, script: provider, provider: 'cooldown_ms = 0' })
    openai = new OpenAI({ apiKey: s.key, baseURL: new URL('/v1', s.gateway.url).href, maxRetries: 0 })
  })
  afterAll(async () => {
    await s[Symbol.asyncDispose]()
    await s3[Symbol.asyncDispose]()
  })
  beforeEach(() => s.upstream.answer(provider))

  const ready = async () => {
    const response = await s.gateway.call('/readyz')
    return { status: response.status, body: (await response.json()) as { files?: string } }
  }
  const works = () => eventually('the bucket works', async () => (await ready()).body.files === undefined)
  const much = {
    ...PAID['chat, whole'],
    body: MUCH,
  }
  const draw = () => s.call(GENERATIONS, DRAW)
  const failing = async () => {
    await s3.stop()
    await draw()
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', files: expect.any(String) } })
  }
  const refused = async (answer: Response | Promise<Response>) => {
    const { status, headers } = await answer
    const body = await (await answer).text()
    expect([status, body]).toEqual([503, expect.stringContaining('storage_unavailable')])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }

  test('is away refuses requests that need files, without a hold or a call of the provider, until it is back', async () => {
    const kept = { key: s.key, idempotency_key: 'kept' }
    const first = await send(s.gateway, much, kept)
    const image = await openai.images.generate({ ...DRAW })
    await upload(s.gateway, s.key, { bytes: PNG })
    const response = await openai.responses.create({ model: MODEL, input: 'much' })
    const stored = s.gateway.db.query<{ uuid: string }, []>('SELECT uuid FROM generations').get()?.uuid ?? ''
    expect([first.status, image.data?.length, response.output_text.length > 64 * 1024]).toEqual([
      200,
      1,
      true,
    ])
    await failing()

    const before = s.counts()
    await refused(draw())
    await refused(s.call(GENERATIONS, { ...DRAW, stream: true, partial_images: 1 }))
    await refused(post(s.gateway, s.key, formOf([{ bytes: PNG }])))
    await refused(s.call('/v1/images/generations', DRAW, { headers: { 'idempotency-key': 'while-away' } }))
    // A stored answer is neither lost nor requested again.
    const replay = await send(s.gateway, much, kept)
    expect([replay.status, replay.body]).toEqual([503, expect.stringContaining('storage_unavailable')])
    await refused(s.call('/v1/responses', { model: MODEL, input: 'on', previous_response_id: response.id }))
    await refused(s.call(`/api/images/${stored}`))
    await refused(s.call(`/api/images/${stored}`, undefined, { method: 'DELETE' }))
    await s.expectCounts(before)

    const hello = await openai.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(hello.choices[0]?.message.content).toBe('Hello.')
    // The call is answered, but its answer is not stored.
    expect((await send(s.gateway, much, { key: s.key, idempotency_key: 'away' })).status).toBe(200)

    await s3.start()
    await works()
    expect(await send(s.gateway, much, kept)).toEqual({ ...first, replayed: 'true' })
    expect((await s.call(GENERATIONS, DRAW, { headers: { 'idempotency-key': 'while-away' } })).status).toBe(
      200,
    )
    expect((await upload(s.gateway, s.key, { bytes: PNG })).length).toBe(1)
    await openai.responses.create({ model: MODEL, input: 'on', previous_response_id: response.id })
    await s.gateway.rest()
  })

  test("is away gives OpenAI's client a status and a code, after which it may retry", async () => {
    await failing()
    const errorOf = async (call: Promise<unknown>) => {
      const error = await call.catch((thrown: unknown) => thrown)
      if (!(error instanceof APIError)) throw new Error(`it was not refused: ${error}`)
      return [error.status, error.code, error.type]
    }
    const UNAVAILABLE = [503, 'storage_unavailable', 'api_error']
    expect(await errorOf(openai.images.generate({ ...DRAW }))).toEqual(UNAVAILABLE)
    const image = await toFile(PNG, 'cat.png', { type: 'image/png' })
    expect(await errorOf(openai.images.edit({ ...DRAW, image }))).toEqual(UNAVAILABLE)
    const patient = openai.withOptions({ maxRetries: 3 }).images.generate({ ...DRAW })
    await s3.start()
    expect((await patient).data?.length).toBe(1)
    await works()
  })

  test('goes away during the generation of an image makes the call free, without a trace', async () => {
    const before = s.gateway.rows().accounts.map(({ balance_nanos }) => balance_nanos)
    s.upstream.answer(async () => {
      await s3.stop()
      return draws(PNG)
    })
    await refused(draw())
    expect(await s.lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
    expect(s.gateway.rows().accounts.map(({ balance_nanos }) => balance_nanos)).toEqual(before)
    await s3.start()
    await works()
    s.upstream.answer(provider)
    expect((await draw()).status).toBe(200)
    await s.gateway.rest()
  })

  test('goes away during the stream of an image ends it with the error, free', async () => {
    s.upstream.answer(async () => {
      await s3.stop()
      return draws(PNG)
    })
    const answer = await s.call(GENERATIONS, { ...DRAW, stream: true })
    expect(await answer.text()).toContain('storage_unavailable')
    expect(await s.lastCall()).toMatchObject({ cost_nanos: 0 })
    await s3.start()
    await works()
    await s.gateway.rest()
  })

  test('forbids PUT refuses requests in the same way, until it allows PUT', async () => {
    let refuses = false
    using proxy = startRefusingProxy(s3, (begin) => refuses && begin.startsWith('PUT '))
    await using other = await scene({
      bucket: { ...partOf(s3), endpoint: proxy.endpoint },
      script: provider,
      provider: 'cooldown_ms = 0',
    })
    refuses = true
    await refused(other.call(GENERATIONS, DRAW))
    const before = other.counts()
    await refused(other.call(GENERATIONS, DRAW))
    await other.expectCounts(before)
    refuses = false
    await eventually('it may put again', async () => {
      const body = await (await other.gateway.call('/readyz')).json()
      return (body as { files?: string }).files === undefined
    })
    expect((await other.call(GENERATIONS, DRAW)).status).toBe(200)
  })
})
