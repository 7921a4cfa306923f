// The static types of the application: a client that knows only `App` calls the free routes of a running gateway.
// The compiler checks the expected types: `expectTypeOf` does nothing at run time.
import { describe, expect, expectTypeOf, test } from 'bun:test'
import { treaty } from '@elysiajs/eden'
import type { App } from '../../../plugins/index.ts'
import { paint } from '../../media/support.ts'
import { MODEL } from '../../support/catalogue.ts'
import { answer, ask, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { whole } from '../../support/upstream.ts'
import type { Uploaded } from '../../upload/support.ts'

interface ErrorBody {
  error: { message: string; type: string; code: string; param: string | null }
}

const { gateway, key, call } = await fileScene({ script: whole(answer()), balance_usd: '12.5' })
const clientFor = (token: string) =>
  treaty<App>(gateway.url.origin, { headers: { authorization: `Bearer ${token}` } })
const client = clientFor(key)
await call(wholePath(MODEL), ask())
await gateway.rest()

describe('a typed client', () => {
  test('reads the account', async () => {
    const { data } = await client.api.v1.account.get()
    if (!data) throw new Error('no account was answered')
    expectTypeOf(data.balance_nanos).toEqualTypeOf<number>()
    expectTypeOf(data.status).toEqualTypeOf<'active' | 'suspended'>()
    expectTypeOf(data.key.spend_limit_usd).toEqualTypeOf<string | null>()
    expectTypeOf(data.limits.key).toHaveProperty('tokens_per_minute')
    expect([data.status, data.held_nanos, data.key.spend_limit_usd]).toEqual(['active', 0, null])
  })

  test('reads the usage by typed parameters', async () => {
    const { data } = await client.api.v1.usage.get({ query: { limit: 1, outcome: 'completed' } })
    if (!data || !('calls' in data)) throw new Error('no calls were answered')
    expectTypeOf(data.next_cursor).toEqualTypeOf<number | null>()
    expectTypeOf(data.calls).items.toHaveProperty('cost_usd')
    expect(data.calls.map(({ model, cost_usd }) => [model, cost_usd])).toEqual([[MODEL, '0.00003']])
    const sums = await client.api.v1.usage.get({ query: { sums: 'day' } })
    expect(sums.data).toMatchObject({ sums: [{ model: MODEL, calls: 1 }] })
  })

  test('lists models', async () => {
    const { data } = await client.v1.models.get({ query: { limit: 2 } })
    if (!data) throw new Error('no models were answered')
    expectTypeOf(data.data).items.toHaveProperty('kind')
    expectTypeOf(data.has_more).toEqualTypeOf<boolean>()
    expect(data.data.map(({ id }) => id)).toContain(MODEL)
    expect(data.has_more).toBe(true)
  })

  test('uploads a file, and lists it', async () => {
    const picture = new File([new Uint8Array(await paint('png'))], 'cat.png', { type: 'image/png' })
    const uploaded = await client.api.v1.upload.post({ files: [picture] })
    expectTypeOf(uploaded.data?.uploaded).toEqualTypeOf<Uploaded[] | undefined>()
    expect(uploaded.data?.uploaded).toMatchObject([{ name: 'cat.png', size: picture.size }])
    const { data } = await client.api.v1.files.get({ query: {} })
    expectTypeOf(data?.quota.used_bytes).toEqualTypeOf<number | undefined>()
    expect(data?.quota.used_bytes).toBe(picture.size)
  })

  test('lists images, and deletes them', async () => {
    const history = await client.api.images.history.get({ query: { kind: 'edit' } })
    expect(history.data).toEqual({ images: [], next_cursor: null })
    const deleted = await client.api.images({ id: crypto.randomUUID() }).delete()
    expectTypeOf(deleted.data).toEqualTypeOf<{ id: string; deleted: true } | null>()
    expect(deleted.status).toBe(404)
  })

  test('reads the health', async () => {
    const { data } = await client.healthz.get()
    expectTypeOf(data).toEqualTypeOf<{ status: 'ok' } | null>()
    expect(data).toEqual({ status: 'ok' })
  })

  test('gets failures by status, in the declared shape', async () => {
    const { error } = await clientFor('tg_wrong').api.v1.account.get()
    if (error?.status !== 401) throw new Error(`answered ${error?.status}, not 401`)
    expectTypeOf(error.value).toEqualTypeOf<ErrorBody>()
    expect(error.value.error.type).toBe('unauthenticated')
  })

  test('does not compile with parameters or fields that do not exist', async () => {
    // @ts-expect-error the types must refuse this parameter
    const unknown = await client.api.v1.usage.get({ query: { colour: 'red' } })
    // @ts-expect-error the types must refuse a limit that is not a number
    const text = await client.api.v1.usage.get({ query: { limit: 'many' } })
    // @ts-expect-error the types must refuse this field
    expect((await client.api.v1.account.get()).data?.colour).toBeUndefined()
    expect([unknown.status, text.status]).toEqual([400, 400])
  })
})
