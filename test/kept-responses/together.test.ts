// Kept responses on a first start, with the simulated models: one conversation over three of them, through OpenAI's SDK.
import { expect, test } from 'bun:test'
import OpenAI from 'openai'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { startTestGateway } from '../support/gateway.ts'

test('responses are created, continued, read, listed and deleted', async () => {
  await using gateway = await startTestGateway({ catalogue: FIRST_CATALOGUE })
  const key = await gateway.caller('10'),
    other = await gateway.caller('10')
  const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
  const a = await sdk.responses.create({ model: 'sim-gpt', input: 'My name is Anna.' })
  const b = await sdk.responses.create({ model: 'sim-flash', input: 'And now?', previous_response_id: a.id })
  expect((await sdk.responses.retrieve(b.id)).output_text).toBe(b.output_text)
  const items = []
  for await (const i of sdk.responses.inputItems.list(b.id, { order: 'asc' })) items.push(i.type)
  expect(items.filter((t) => t === 'message').length).toBe(3)
  await sdk.responses.delete(a.id)
  const c = await sdk.responses.create({ model: 'sim-claude', input: 'Third', previous_response_id: b.id })
  expect(c.status).toBe('completed')
  expect(
    await sdk.responses.create({ model: 'sim-gpt', input: 'x', previous_response_id: a.id }).then(
      () => 200,
      (e) => e.status,
    ),
  ).toBe(400)
  expect((await gateway.call(`/v1/responses/${c.id}`, undefined, { key: other })).status).toBe(404)
  await gateway.rest()
})
