// The history of the catalogue in a running gateway: one line for each save, by whatever way; a restored version.
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createScene } from '../../app/commands/scene.ts'
import { MODEL, PROVIDER, PROVIDER_KEYS, UPSTREAM_MODEL } from '../../support/catalogue.ts'
import { signedIn } from '../../support/console-session.ts'
import { fileScene } from '../../support/scene.ts'

const { gateway } = await fileScene({ api_keys: PROVIDER_KEYS })
const operator = await signedIn(gateway, 'operator')
const path = join(gateway.data_folder, 'tollgate.toml')
const file = () => readFileSync(path, 'utf8')
const first = file()
const commands = createScene('nothing', gateway.data_folder)
const list = {
  [UPSTREAM_MODEL]: {
    litellm_provider: 'gemini',
    mode: 'chat',
    input_cost_per_token: 7e-6,
    output_cost_per_token: 8e-6,
  },
}
writeFileSync(commands.path('list.json'), JSON.stringify(list))

interface Listed {
  version: number
  in_force: boolean
  by: { kind: string; session_id: number | null; command: string | null; address: string | null }
  changed: { kind: string; name: string; change: string; fields: string[] }[] | null
}
const versions = async (): Promise<Listed[]> => (await operator.json('GET', '/catalogue/versions')).versions
const newest = async () => {
  const [one] = await versions()
  if (!one) throw new Error('no version is kept')
  return one
}
const versionOf = (version: number) => operator.json('GET', `/catalogue/versions/${version}`)
const hash = async (): Promise<string> => (await operator.json('GET', '/catalogue')).hash
const priced = (input: string) => file().replace(/(price = \{ input = )[\d.]+/, `$1${input}`)
const save = async (body: object) => operator.json('POST', '/catalogue/save', { hash: await hash(), ...body })
const setPrice = (value: string) =>
  save({ edits: [{ op: 'set', path: ['models', 0, 'price', 'input'], value }] })

test('the text that the gateway started with is the first version', async () => {
  expect(await versions()).toEqual([
    expect.objectContaining({
      version: 1,
      in_force: true,
      changed: null,
      by: expect.objectContaining({ kind: 'file' }),
    }),
  ])
})

test.each<[string, save: () => Promise<unknown>, by: Partial<Listed['by']>, changed: string[]]>([
  ['the console', () => setPrice('2'), { kind: 'session', address: '127.0.0.1' }, [`${MODEL}: price`]],
  [
    'a new key in the console',
    () => save({ edits: [{ op: 'set', path: ['providers', 0, 'api_keys', 0], value: 'typed-key-12345' }] }),
    { kind: 'session' },
    [`${PROVIDER}: api_keys`],
  ],
  [
    'prices import',
    () =>
      commands.json(
        'prices',
        'import',
        '--markup',
        '0%',
        commands.path('list.json'),
        '--model',
        MODEL,
        '--yes',
        '--accept-jumps',
      ),
    { kind: 'command', command: 'prices import' },
    [`${MODEL}: routes,price`],
  ],
  [
    'an editor on the file',
    async () => {
      writeFileSync(path, priced('3'))
      await gateway.started.reload()
    },
    { kind: 'file' },
    [`${MODEL}: price`],
  ],
  [
    'config restore',
    () => commands.json('config', 'restore', '1', '--yes'),
    { kind: 'command', command: 'config restore' },
    [`${MODEL}: routes,price`],
  ],
])('a change by %s is one line, with its author and the changed fields', async (_, act, by, changed) => {
  const before = await newest()
  await act()
  // A gateway that reads the file again keeps nothing more.
  await gateway.started.reload()
  const after = await newest()
  expect(after.version).toBe(before.version + 1)
  expect(after.by).toMatchObject(by)
  expect(after.changed?.map(({ name, fields }) => `${name}: ${fields}`)).toEqual(changed)
  expect((await versions()).filter(({ in_force }) => in_force)).toEqual([after])
})

test('a file that is saved with a mistake, or unchanged, adds no line', async () => {
  const before = await newest()
  await save({})
  const good = file()
  writeFileSync(path, good.replace('price = {', 'prices = {'))
  await gateway.started.reload()
  writeFileSync(path, good)
  await gateway.started.reload()
  expect(await newest()).toEqual(before)
})

test('no key is in the table, nor in the answers about it', async () => {
  const rows = JSON.stringify(gateway.db.query('SELECT * FROM catalogues').all())
  const answers = JSON.stringify(
    await Promise.all((await versions()).map(({ version }) => versionOf(version))),
  )
  for (const secret of [...PROVIDER_KEYS, 'typed-key-12345']) {
    expect(rows).not.toContain(secret)
    expect(answers).not.toContain(secret)
  }
  expect(rows).toContain('hidden:')
})

test('no token of a webhook is in any table, nor in an answer of the console', async () => {
  const token = 'T0/B0/token-of-the-webhook'
  const typed = 'T0/B0/token-that-was-typed'
  const hook = (of: string) => `https://hooks.example.com/services/${of}`
  const before = file()
  writeFileSync(
    path,
    `${before}\n#webhook_url = "${hook(`${token}-of-old`)}"\n[alerts]\nwebhook_url = "${hook(token)}"\nwebhook_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"\n`,
  )
  await gateway.started.reload()
  const { text } = await operator.json('GET', '/catalogue')
  await save({ edits: [{ op: 'set', path: ['alerts', 'webhook_url'], value: hook(typed) }] })
  const saved = await newest()
  expect(saved.changed).toMatchObject([{ kind: 'setting', name: 'alerts.webhook_url' }])
  const answers = await Promise.all([
    ...['', '/settings', '/versions', `/versions/${saved.version}`, `/versions/${saved.version - 1}`].map(
      (route) => operator.json('GET', `/catalogue${route}`),
    ),
    ...['/check', '/previews'].map((route) => operator.json('POST', `/catalogue${route}`, { text })),
    ...['/audit-log', '/system', '/alerts'].map((route) => operator.json('GET', route)),
    commands.json('config', 'check'),
    commands.json('config', 'history', String(saved.version)),
  ])
  const tables = gateway.db
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
  const rows = tables.flatMap(({ name }) => gateway.db.query(`SELECT * FROM "${name}"`).all())
  expect(JSON.stringify(rows)).toContain('webhook_url')
  expect(JSON.stringify(answers)).toContain('"webhook":"hooks.example.com"')
  for (const secret of ['token-of-the-webhook', 'token-that-was-typed'])
    expect(JSON.stringify([rows, answers])).not.toContain(secret)
  expect(gateway.log.text()).not.toMatch(/token-(?:of|that)-/)
  // Undone: the token comes back, although no shown text has it.
  await save({ text })
  expect(file()).toContain(`webhook_url = "${hook(token)}"\nwebhook_secret`)
  writeFileSync(path, before)
  await gateway.started.reload()
})

test('the draft of a version restores it to the byte, except for a key replaced since', async () => {
  await setPrice('5')
  const { draft, before } = await versionOf(1)
  expect(before).toBeNull()
  expect(draft.other_keys).toEqual(['providers[0].api_keys[0]'])
  const preview = await operator.json('POST', '/catalogue/previews', { text: draft.text })
  expect(preview.changes).toMatchObject([
    { kind: 'model', name: MODEL, change: 'changed', fields: ['price'] },
  ])
  await save({ text: draft.text })
  expect(file()).toBe(first.replace(PROVIDER_KEYS[0], 'typed-key-12345'))
  expect((await newest()).changed).toMatchObject([{ kind: 'model', name: MODEL, fields: ['price'] }])
})

test('restoring is refused if somebody else has saved in between', async () => {
  const seen = await hash()
  const { draft } = await versionOf(1)
  writeFileSync(path, priced('6'))
  await gateway.started.reload()
  const refused = await operator.send('POST', '/catalogue/save', { body: { text: draft.text, hash: seen } })
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: { code: 'configuration_changed' } },
  ])
  expect(file()).toBe(priced('6'))
})

test.each([
  ['GET', '/catalogue/versions/999', 404],
  ['GET', '/catalogue/versions/none', 400],
  ['GET', '/catalogue/versions?limit=0', 400],
])('%s %s: %d', async (method, path, status) => {
  expect((await operator.send(method, path)).status).toBe(status)
})

test('versions come in pages, the newest first', async () => {
  const page = await operator.json('GET', '/catalogue/versions?limit=2')
  const next = await operator.json('GET', `/catalogue/versions?limit=2&cursor=${page.next_cursor}`)
  const numbers = [...page.versions, ...next.versions].map(({ version }) => version)
  expect(numbers).toEqual((await versions()).map(({ version }) => version).slice(0, 4))
})
