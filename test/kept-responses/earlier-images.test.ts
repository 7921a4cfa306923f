// Kept responses of versions that generated images for a response: their images are in the history, and stand in them when they are read.
import { expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { draws, GENERATIONS, generation, models, PNG } from '../images/support.ts'
import { answerTo, fileResponsesScene } from './support.ts'

const { store, account_id, call, gateway, upstream } = await fileResponsesScene({ more: models })

test('the response has its image while the history has it, and none once it is deleted', async () => {
  upstream.answer(draws(PNG))
  expect((await call(GENERATIONS, generation())).status).toBe(200)
  const row = gateway.db.query<{ uuid: string }, []>('SELECT uuid FROM generations').get()
  const id = row?.uuid ?? ''
  const item = { id: `ig_${id}`, type: 'image_generation_call', status: 'completed', result: null }
  const kept = answerTo('resp_earlier', account_id)
  await store.keep({ ...kept, response: { ...kept.response, output: [item] } })
  const output = async () =>
    ((await (await call('/v1/responses/resp_earlier')).json()) as { output: JsonObject[] }).output
  const [first] = await output()
  expect(Buffer.from(String(first?.result), 'base64').subarray(1, 4).toString()).toBe('PNG')
  expect((await call(`/api/images/${id}`, undefined, { method: 'DELETE' })).status).toBeLessThan(300)
  expect(await output()).toEqual([item])
})
