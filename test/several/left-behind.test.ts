// Work left by a killed gateway: another gateway ends it while it serves on, and touches nothing that a live gateway has under way.
import { describe, expect, test } from 'bun:test'
import { draws, GENERATIONS, generation, models, PNG } from '../images/support.ts'
import { eventually } from '../support/eventually.ts'
import { hasPostgres } from '../support/postgres.ts'
import { heldBack } from '../support/upstream.ts'
import { formOf } from '../upload/support.ts'
import { type World, world } from './world.ts'

const FORM = formOf([{ bytes: PNG }])
const FORM_TYPE = 'multipart/form-data; boundary=a-boundary'

/** Starts an upload whose end is sent later. */
function startUpload({ members }: World, member: number, key: string) {
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(FORM.subarray(0, -20))
      await promise
      controller.enqueue(FORM.subarray(-20))
      controller.close()
    },
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': FORM_TYPE }
  const answer = fetch(new URL('/api/v1/upload', members[member]?.url), { method: 'POST', headers, body })
  return {
    finish,
    status: answer.then(
      ({ status }) => status,
      () => 0,
    ),
  }
}

const statesOf = async ({ db }: World, table: 'generations' | 'files'): Promise<string[]> =>
  (await db.rows<{ state: string }>(`SELECT state FROM ${table} ORDER BY id`)).map(({ state }) => state)

describe.if(hasPostgres)('a gateway beside a killed one', () => {
  test('ends the images and uploads of the killed one; its own go on', async () => {
    const { script, release } = heldBack(draws(PNG))
    await using w = await world({ gateways: 2, script, more: ({ url }) => models(url) })
    const key = await w.caller('100')
    const images = [0, 1].map((member) =>
      w.call(member, GENERATIONS, generation(), key).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    const uploads = [0, 1].map((member) => startUpload(w, member, key))
    await eventually('all is under way', async () => {
      const under_way = [...(await statesOf(w, 'generations')), ...(await statesOf(w, 'files'))]
      return under_way.join() === 'generating,generating,storing,storing'
    })
    w.members[0]?.signal('SIGKILL')
    await eventually('the other one has ended them', async () => {
      const rows = await w.db.rows<{ id: number }>('SELECT id FROM gateways')
      return rows.length === 1
    })
    expect((await statesOf(w, 'generations')).toSorted()).toEqual(['failed', 'generating'])
    expect(await statesOf(w, 'files')).toEqual(['storing'])
    release()
    for (const { finish } of uploads) finish()
    expect(await Promise.all([...images, ...uploads.map(({ status }) => status)])).toEqual([0, 200, 0, 200])
    expect((await statesOf(w, 'generations')).toSorted()).toEqual(['failed', 'stored'])
    expect(await w.members[1]?.log()).toContain('"left_behind":2')
    await w.rest()
  })
})
