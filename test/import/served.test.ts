// Calls after an import, and beside it: an official SDK with a key from before is served and charged.
import { afterAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { createSimulator } from '../providers/index.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { eventually, retryUntilDone } from '../support/eventually.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { fakeSource, incomingAccount, incomingKey, incomingModel, keyText, USD } from './fake-source.ts'
import { ENGINES, importFolder } from './folder.ts'
import { importFrom } from './scene.ts'

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: createSimulator().fetch })
afterAll(() => server.stop(true))

/** A key with signs that a shell or systemd would read as more than text. */
const PROVIDER_KEY = 'sk-of-the provider"$'

const SOURCE = fakeSource({
  accounts: [
    incomingAccount('anna', {
      email: 'anna@example.com',
      balance_nanos: 10 * USD,
      keys: [
        incomingKey('laptop'),
        incomingKey('empty', { spend_limit_nanos: 0 }),
        incomingKey('narrow', { models: ['other-*'] }),
      ],
    }),
    incomingAccount('bert', { balance_nanos: -USD, keys: [incomingKey('owing')] }),
    incomingAccount('carl', { balance_nanos: USD, status: 'suspended', keys: [incomingKey('closed')] }),
  ],
  providers: [
    {
      source_id: 'channel 1',
      name: 'main',
      fields: { server: 'openai', base_url: `${server.url.origin}/openai/v1` },
      api_keys: [{ variable: 'MAIN_API_KEY', value: PROVIDER_KEY }],
    },
  ],
  models: [
    incomingModel('gpt-4o', 'main', { routes: [{ provider: 'main', model: 'gpt', order: 0, weight: 1 }] }),
  ],
})

test.each(ENGINES)('over %s, keys from before work unchanged, within their limits', async (engine) => {
  await using folder = await importFolder(engine)
  expect(await importFrom({ dir: folder.dir, source: SOURCE })).toMatchObject({ status: 0 })
  const place = {
    path: folder.dir,
    database_path: folder.at('tollgate.db'),
    keys: [],
    [Symbol.dispose]: () => {},
  }
  await using gateway = await startGatewayProcess('', place, { env_file: folder.at('imported.env') })
  const ask = (key: string, model = 'gpt-4o') =>
    new OpenAI({
      apiKey: keyText(key),
      baseURL: `${gateway.url.origin}/v1`,
      maxRetries: 0,
    }).chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'hello' }],
    })

  const answer = await ask('laptop')
  expect(answer.choices[0]?.message.content).not.toBe('')
  const { prompt_tokens = 0, completion_tokens = 0 } = answer.usage ?? {}
  // 0.50 and 1.50 USD a million tokens.
  const cost_nanos = prompt_tokens * 500 + completion_tokens * 1_500
  expect(cost_nanos).toBeGreaterThan(0)
  await retryUntilDone('the call is charged', async () => {
    expect(await folder.rows("SELECT amount_nanos FROM entries WHERE kind = 'charge'")).toEqual([
      { amount_nanos: -cost_nanos },
    ])
  })
  for (const [key, status] of [
    ['empty', 402],
    ['owing', 402],
    ['narrow', 403],
    ['closed', 403],
    ['unknown', 401],
  ] as const)
    expect([key, await ask(key).catch(({ status }: { status: number }) => status)]).toEqual([key, status])
  gateway.signal('SIGTERM')
  await gateway.ended
  expect(await folder.findings()).toEqual([])
})

test('an import into a folder that a gateway serves adds balances and debts, and the gateway reloads the catalogue by itself', async () => {
  using place = await prepareDataFolder(FIRST_CATALOGUE)
  // Otherwise the gateway needs a restart for the keys of providers, with the file of variables.
  const environment = { MAIN_API_KEY: PROVIDER_KEY }
  await using gateway = await startGatewayProcess('', place, { environment })
  const text = await Bun.file(`${place.path}/tollgate.toml`).text()
  expect(await importFrom({ dir: place.path, source: SOURCE })).toMatchObject({ status: 0, err: '' })
  expect(await Bun.file(`${place.path}/tollgate.toml`).text()).toStartWith(text.trimEnd())
  const sdk = new OpenAI({ apiKey: keyText('laptop'), baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })
  await eventually('the gateway serves the imported model', async () =>
    sdk.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }).then(
      () => true,
      () => false,
    ),
  )
  gateway.signal('SIGTERM')
  await gateway.ended
  expect(await gateway.findings()).toEqual([])
  using db = openDatabase(place.database_path, { readonly: true })
  expect(
    db.query('SELECT name, balance_nanos, debt_nanos FROM accounts WHERE id > 1 ORDER BY id').all(),
  ).toEqual([
    { name: 'anna', balance_nanos: expect.any(Number), debt_nanos: 0 },
    { name: 'bert', balance_nanos: 0, debt_nanos: USD },
    { name: 'carl', balance_nanos: USD, debt_nanos: 0 },
  ])
})
