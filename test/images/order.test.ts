// silent.md, Images: "Order of checks". Each request has two faults that are checked one after the other; the error names the first.
import { expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { expectRefused, type Refusal, storedIn } from '../support/image-refusals.ts'
import { COMPOSE, dataUri, EDITS, generation, imagesScene, PNG, RETIRED_PICTURE } from './support.ts'

const { gateway, upstream } = await imagesScene()

const MEGABYTE = 1024 * 1024
const ABSENT = { generation_id: crypto.randomUUID() }
const poor = () => gateway.caller('0')
const restricted = () => gateway.caller('0', { models: ['other-*'] })

async function suspended(): Promise<string> {
  const key = await gateway.caller()
  await suspendAccount(gateway.store, gateway.rows().accounts.at(-1)?.name ?? '', { now_ms: 0 })
  return key
}

/** The key of a caller whose rate is used up. */
async function exhausted(): Promise<string> {
  const key = await gateway.caller()
  for (let sent = 0; sent < 30; sent++) await (await gateway.call(EDITS, '{', { key })).arrayBuffer()
  return key
}

const ROWS: readonly (readonly [
  row: string,
  caller: () => Promise<string> | string,
  path: string,
  body: object | string,
  refusal: Refusal,
])[] = [
  [
    'the key before the body size',
    () => 'tg_nobody',
    EDITS,
    ' '.repeat(2 * MEGABYTE),
    [401, 'invalid_api_key'],
  ],
  ['the account before the rate', suspended, EDITS, '{', [403, 'MODEL_ACCESS_DENIED']],
  ['the rate before the body size', exhausted, EDITS, ' '.repeat(2 * MEGABYTE), [429, 'rate_limit_exceeded']],
  ['the body size before the fields', poor, EDITS, '{'.padEnd(2 * MEGABYTE), [413, 'invalid_request']],
  [
    'the fields before the model',
    poor,
    EDITS,
    { model: 'none', prompt: '', ...ABSENT },
    [400, 'invalid_request', 'prompt'],
  ],
  ['the sources before the model', poor, COMPOSE, generation({ model: 'none' }), [400, 'invalid_source']],
  [
    'the model before the access to it',
    restricted,
    EDITS,
    generation({ model: RETIRED_PICTURE, ...ABSENT }),
    [404, 'model_not_found'],
  ],
  ['the access before the references', restricted, EDITS, generation(ABSENT), [403, 'MODEL_ACCESS_DENIED']],
  ['the references before the balance', poor, EDITS, generation(ABSENT), [404, 'generation_not_found']],
  [
    'the balance before the call',
    poor,
    COMPOSE,
    generation({ image_urls: [dataUri(PNG)], size: '4096x4096' }),
    [402, 'insufficient_balance'],
  ],
]

test.each(ROWS)('%s', async (_row, caller, path, body, refusal) => {
  const key = await caller()
  const before = await storedIn(gateway)
  const upstream_calls = upstream.requests.length
  await expectRefused(gateway, before, await gateway.call(path, body, { key }), refusal)
  expect(upstream.requests).toHaveLength(upstream_calls)
})
