// Image calls: charged once under one Idempotency-Key, and not affected by the failure of another call.
import { describe, expect, test } from 'bun:test'
import { failGenerations } from '../../src/library/generations.ts'
import { storedIn } from '../support/image-refusals.ts'
import { heldBack, refusal } from '../support/upstream.ts'
import {
  COMPOSE,
  compose,
  draws,
  EDITS,
  editForm,
  GENERATIONS,
  generation,
  imagesIn,
  imagesScene,
  PNG,
} from './support.ts'

const { gateway, upstream } = await imagesScene()

describe('Idempotency-Key', () => {
  const form = (prompt: string) => ({ body: editForm({ prompt }), path: EDITS })
  const json = (path: string, body: object) => ({
    path,
    body: JSON.stringify(body),
    type: { 'content-type': 'application/json' },
  })
  const endpoints = [
    ['generations', () => json(GENERATIONS, generation()), () => json(GENERATIONS, generation({ n: 2 }))],
    ['compose', () => json(COMPOSE, compose()), () => json(COMPOSE, compose({ prompt: 'another' }))],
    ['edits, multipart', () => form('bluer'), () => form('redder')],
  ] as const

  const send = (
    key: string,
    request: { path: string; body: string | FormData; type?: Record<string, string> },
    idempotency_key: string,
  ) =>
    fetch(new URL(request.path, gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotency_key, ...request.type },
      body: request.body,
    })

  test.each(endpoints)(
    '%s: a repeated request gets the same answer, for one charge and one image',
    async (_name, request, other) => {
      const key = await gateway.caller('1')
      const first = await imagesIn(await send(key, request(), 'once'))
      const stored = await storedIn(gateway)
      const upstream_calls = upstream.requests.length
      const again = await send(key, request(), 'once')
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(await imagesIn(again)).toEqual(first)
      expect(await storedIn(gateway)).toEqual(stored)
      expect(upstream.requests).toHaveLength(upstream_calls)
      const { accounts } = await gateway.atRest()
      expect(accounts.at(-1)?.balance_nanos).toBe(960_000_000)
      const different = await send(key, other(), 'once')
      expect([different.status, await different.json()]).toMatchObject([
        422,
        { error: { code: 'idempotency_key_reused' } },
      ])
      expect(await storedIn(gateway)).toEqual(stored)
    },
  )

  test('a refunded failure can be tried again under the same key', async () => {
    const key = await gateway.caller('1')
    upstream.answer(refusal(500))
    expect((await send(key, json(GENERATIONS, generation()), 'retried')).status).toBe(502)
    upstream.answer(draws(PNG))
    await imagesIn(await send(key, json(GENERATIONS, generation()), 'retried'))
    expect((await gateway.atRest()).accounts.at(-1)?.balance_nanos).toBe(960_000_000)
  })
})

test('a call that fails before its images are started does not fail the images of other calls', async () => {
  const key = await gateway.caller()
  const { script, received, release } = heldBack(draws(PNG))
  upstream.answer(script)
  const slow = gateway.call(GENERATIONS, generation(), { key })
  const underWay = () =>
    gateway.db
      .query<{ n: number }, []>("SELECT count(*) AS n FROM generations WHERE state = 'generating'")
      .get()?.n
  await received
  expect(underWay()).toBe(1)
  await failGenerations(gateway.store, [])
  expect(underWay()).toBe(1)
  release()
  await imagesIn(await slow)
  await gateway.rest()
})
