// What must not happen to images: charged twice under one Idempotency-Key, or failed by another call's failure.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { failGenerations } from '../../src/library/generations.ts'
import { refusal } from '../support/upstream.ts'
import {
  COMPOSE,
  compose,
  draws,
  EDITS,
  editForm,
  GENERATIONS,
  generation,
  imagesIn,
  leftIn,
  PNG,
  startWorld,
  type World,
} from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(() => world.upstream.answer(draws(PNG)))
afterAll(() => world[Symbol.asyncDispose]())

describe('Idempotency-Key', () => {
  const form = (prompt: string) => ({ body: editForm({ prompt }), path: EDITS })
  const json = (path: string, body: object) => ({
    path,
    body: JSON.stringify(body),
    type: { 'content-type': 'application/json' },
  })
  const sorts = [
    ['generations', () => json(GENERATIONS, generation()), () => json(GENERATIONS, generation({ n: 2 }))],
    ['compose', () => json(COMPOSE, compose()), () => json(COMPOSE, compose({ prompt: 'another' }))],
    ['edits, multipart', () => form('bluer'), () => form('redder')],
  ] as const

  const send = (
    key: string,
    request: { path: string; body: string | FormData; type?: Record<string, string> },
    idempotency_key: string,
  ) =>
    fetch(new URL(request.path, world.gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotency_key, ...request.type },
      body: request.body,
    })

  test.each(sorts)(
    '%s: the same request again is the same answer, one charge, one image',
    async (_name, request, other) => {
      const key = await world.gateway.caller('1')
      const first = await imagesIn(await send(key, request(), 'once'))
      const left = await leftIn(world.gateway)
      const asked = world.upstream.seen.length
      const again = await send(key, request(), 'once')
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(await imagesIn(again)).toEqual(first)
      expect(await leftIn(world.gateway)).toEqual(left)
      expect(world.upstream.seen).toHaveLength(asked)
      const { accounts } = await world.gateway.atRest()
      expect(accounts.at(-1)?.balance_nanos).toBe(960_000_000)
      const different = await send(key, other(), 'once')
      expect([different.status, await different.json()]).toMatchObject([
        422,
        { error: { code: 'idempotency_key_reused' } },
      ])
      expect(await leftIn(world.gateway)).toEqual(left)
    },
  )

  test('a failure that was refunded may be tried again under the same key', async () => {
    const key = await world.gateway.caller('1')
    world.upstream.answer(refusal(500))
    expect((await send(key, json(GENERATIONS, generation()), 'retried')).status).toBe(502)
    world.upstream.answer(draws(PNG))
    await imagesIn(await send(key, json(GENERATIONS, generation()), 'retried'))
    expect((await world.gateway.atRest()).accounts.at(-1)?.balance_nanos).toBe(960_000_000)
  })
})

test('a call that fails before its images are begun leaves those of others alone', async () => {
  const key = await world.gateway.caller()
  const drawing = Promise.withResolvers<void>()
  world.upstream.answer(async () => {
    await drawing.promise
    return draws(PNG)
  })
  const slow = world.gateway.call(GENERATIONS, generation(), { key })
  const under_way = () =>
    world.gateway.db
      .query<{ n: number }, []>("SELECT count(*) AS n FROM generations WHERE state = 'generating'")
      .get()?.n
  while (under_way() !== 1) await Bun.sleep(2)
  failGenerations(world.gateway.db, [])
  expect(under_way()).toBe(1)
  drawing.resolve()
  await imagesIn(await slow)
  await world.gateway.atRest()
})
