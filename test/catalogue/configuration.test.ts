// The catalogue file as a running gateway reads, checks and saves it.
import { beforeEach, describe, expect, test } from 'bun:test'
import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type Configuration, createConfiguration } from '../../src/catalogue/configuration.ts'
import type { Draft } from '../../src/catalogue/drafts.ts'
import type { Edit } from '../../src/catalogue/edit.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { folderOfEachTest } from '../support/test-folder.ts'
import { CATALOGUE, catalogueOf } from './catalogues.ts'

const SECRET = 'secret-of-acme-1234'
const TEXT = `# Ours.\n${CATALOGUE.replace('key-1', SECRET)}`

const folder = folderOfEachTest()
let path: string
let reloads: number
let kept: [made_by: string, text: string][]
let now_ms: number
let configuration: Configuration

beforeEach(async () => {
  path = folder.at('tollgate.toml')
  await writeFile(path, TEXT, { mode: 0o640 })
  await chmod(path, 0o640)
  reloads = 0
  kept = []
  now_ms = 1_000_000
  configuration = createConfiguration({
    path,
    env: { SET_KEY: 'secret-of-the-environment' },
    protocols: BUILT_IN_REGISTRY,
    catalogue: () => catalogueOf(TEXT),
    reload: async () => void reloads++,
    waitingForRestart: () => ['server.listen'],
    keep: async (text, made_by) => void kept.push([made_by, text]),
    now: () => now_ms,
  })
})

/** The author of each save. */
const EDITOR = 'session:7'

const saved = () => readFile(path, 'utf8')
const price = (input: string) => ({ op: 'set', path: ['models', 0, 'price', 'input'], value: input }) as const

describe('reading', () => {
  test('shows the text and its values without secrets, with the hash of the file', async () => {
    const file = await configuration.read()
    expect(JSON.stringify(file)).not.toContain(SECRET)
    expect(file.text).toContain('# Ours.')
    expect(file.hash).toBe(new Bun.CryptoHasher('sha256').update(TEXT).digest('hex'))
    expect(file.values).toMatchObject({ models: [{ id: 'model' }] })
    expect(file.mistakes).toEqual([])
    expect(file.waiting_for_restart).toEqual(['server.listen'])
  })

  test('reports the mistakes of a file, with their lines', async () => {
    await writeFile(path, TEXT.replace('input = 1', 'inptu = 1'))
    const { mistakes, text } = await configuration.read()
    expect(mistakes.map(({ path }) => path)).toEqual(['models[0].price.input', 'models[0].price.inptu'])
    expect(text).toContain('inptu')
  })

  test('shows no text of a file that is not TOML', async () => {
    await writeFile(path, `${TEXT}\nx = `)
    const file = await configuration.read()
    expect(file).toMatchObject({ text: null, values: null })
    expect(file.mistakes[0]?.message).toContain('is not TOML')
    expect(JSON.stringify(file)).not.toContain(SECRET)
  })
})

describe('checking', () => {
  test('reports the mistakes of a draft, and saves nothing', async () => {
    const { mistakes, catalogue } = await configuration.check({ edits: [price('much')] })
    expect(mistakes).toEqual([
      { path: 'models[0].price.input', line: 13, message: expect.stringContaining('an amount in USD') },
    ])
    expect(catalogue).toBeUndefined()
    expect(await saved()).toBe(TEXT)
  })

  test('reports the first 200 mistakes of a text with more', async () => {
    const text = Array.from({ length: 1_000 }, (_, n) => `a${n} = 1`).join('\n')
    const { mistakes, catalogue } = await configuration.check({ text })
    expect(mistakes.length).toBe(200)
    expect(mistakes.map(({ line }) => line).toSorted((one, other) => one - other)).toEqual(
      mistakes.map(({ line }) => line),
    )
    expect(catalogue).toBeUndefined()
  })

  test('reveals no key in a mistake, wherever the draft puts it', async () => {
    const lowercase = 'sk-0123456789abcdef0123456789abcdef'
    await writeFile(path, `${TEXT.replace(SECRET, lowercase)}#api_keys = ["commented-out-1"]\n`)
    const { text, values } = await configuration.read()
    const [mark = ''] = /hidden:[\w-]{8}/.exec(text ?? '') ?? []
    const [own] = (values?.providers ?? []) as { base_url: string }[]
    const line = (text ?? '').split('\n').find((each) => each.startsWith('#api_keys')) ?? ''
    const named = { name: mark, protocol: 'openai', base_url: own?.base_url ?? '', api_keys: [] }
    const drafts = [
      { edits: [{ op: 'add', path: ['providers'], value: named } as const] },
      {
        text: (text ?? '')
          .replace(`${line}\n`, '')
          .replace('id = "model"', `id = "model"\ndisplay_name = """\n${line}\n"""`),
      },
    ]
    for (const draft of drafts) {
      const { catalogue, ...view } = await configuration.check(draft)
      expect(catalogue).toBeUndefined()
      expect(view.mistakes).not.toEqual([])
      for (const secret of [lowercase, 'commented-out-1']) expect(JSON.stringify(view)).not.toContain(secret)
    }
  })

  test('sends no key of the environment elsewhere, not even after its provider was removed', async () => {
    await writeFile(path, TEXT.replace(SECRET, 'env:SET_KEY'))
    const evil = (variable: string) => ({
      op: 'add' as const,
      path: ['providers'],
      value: {
        name: 'evil',
        protocol: 'openai',
        base_url: 'https://evil.example',
        api_keys: [`env:${variable}`],
      },
    })
    const mistakesNaming = async (variable: string) =>
      (await configuration.check({ edits: [evil(variable)] })).mistakes.map(({ path }) => path)
    expect(await mistakesNaming('SET_KEY')).toEqual(['providers[1].api_keys[0]'])
    expect(await mistakesNaming('ANOTHER_API_KEY')).toEqual([])
    await writeFile(path, TEXT)
    expect(await mistakesNaming('SET_KEY')).toEqual(['providers[1].api_keys[0]'])
  })

  describe('variables of the environment that a draft may name', () => {
    const API_KEYS = ['providers', 0, 'api_keys']
    const naming = (variable: string): Edit => ({ op: 'set', path: API_KEYS, value: [`env:${variable}`] })
    const MUST_LIST = /^must name a variable that env_names in \[server\] lists/
    const mistakesOf = async (draft: Draft) => (await configuration.check(draft)).mistakes
    const withNames = (names: string, text = TEXT) => `[server]\nenv_names = ${names}\n${text}`

    test.each<[file: string, variable: string, may: boolean]>([
      [TEXT, 'ACME_API_KEY', true],
      [TEXT, '_API_KEY', true],
      [TEXT, 'AWS_SECRET_ACCESS_KEY', false],
      [TEXT, 'ACME_API_KEY_2', false],
      [TEXT, 'acme_api_key', false],
      [TEXT, 'DATABASE_URL', false],
      [withNames('["ACME_*", "OTHER"]'), 'ACME_TOKEN', true],
      [withNames('["ACME_*", "OTHER"]'), 'OTHER', true],
      [withNames('["ACME_*", "OTHER"]'), 'OTHER_API_KEY', false],
      [withNames('[]'), 'ACME_API_KEY', false],
      [withNames('["*"]'), 'AWS_SECRET_ACCESS_KEY', true],
      [TEXT.replace(SECRET, 'env:OLD_NAME'), 'OLD_NAME', true],
      [TEXT.replace(SECRET, 'env:OLD_NAME'), 'NEW_NAME', false],
    ])('%#: %s%s: %p', async (file, variable, may) => {
      await writeFile(path, file)
      const mistakes = await mistakesOf({ edits: [naming(variable)] })
      expect(mistakes.map(({ path }) => path)).toEqual(may ? [] : ['providers[0].api_keys[0]'])
      if (may) return
      expect(mistakes[0]?.message).toMatch(MUST_LIST)
      expect(mistakes[0]?.message).toContain(`add "${variable}" to env_names there`)
      const { hash } = await configuration.read()
      expect(configuration.save({ edits: [naming(variable)] }, hash, EDITOR)).rejects.toMatchObject({
        kind: 'unprocessable',
      })
      expect(await saved()).toBe(file)
    })

    test.each<[where: string, more: string]>([
      [
        'in a header',
        '[[providers]]\nname = "a"\nprotocol = "openai"\nbase_url = "https://a.example"\napi_keys = []\nheaders = { x = "env:AWS_SECRET" }\n',
      ],
      [
        'with spaces',
        '[[providers]]\nname = "a"\nprotocol = "openai"\nbase_url = "https://a.example"\napi_keys = [" env: AWS_SECRET "]\n',
      ],
      ['as the token of metrics', '[metrics]\ntoken = "env:AWS_SECRET"\n'],
      [
        'as a header of telemetry',
        '[telemetry]\nendpoint = "https://a.example"\nheaders = { x = "env:AWS_SECRET" }\n',
      ],
    ])('%s, too', async (_, more) => {
      const { text } = await configuration.read()
      expect((await mistakesOf({ text: `${text}\n${more}` })).map(({ message }) => message)).toContainEqual(
        expect.stringMatching(MUST_LIST),
      )
      // An editor of the file may write it, and saves of the console leave it there.
      await writeFile(path, `${TEXT}\n${more}`)
      expect(
        (await mistakesOf({ edits: [price('2')] })).filter(({ message }) => MUST_LIST.test(message)),
      ).toEqual([])
    })

    test.each<[what: string, file: string, edit: Edit]>([
      ['written', TEXT, { op: 'set', path: ['server', 'env_names'], value: ['*'] }],
      ['added to', withNames('["A"]'), { op: 'add', path: ['server', 'env_names'], value: '*' }],
      ['removed', withNames('["A"]'), { op: 'remove', path: ['server', 'env_names'] }],
      ['removed with its section', withNames('["A"]'), { op: 'remove', path: ['server'] }],
    ])('the list itself is not %s', async (_, file, edit) => {
      await writeFile(path, file)
      const paths = (await mistakesOf({ edits: [edit, naming('AWS_SECRET')] })).map(({ path }) => path)
      expect(paths.sort()).toEqual(['providers[0].api_keys[0]', 'server.env_names'])
    })
  })

  test('returns the resulting catalogue with its keys, and a text without them', async () => {
    const { catalogue, text } = await configuration.check({ edits: [price('1.50')] })
    expect(catalogue?.providers.get('acme')?.api_keys).toEqual([SECRET])
    expect(catalogue?.models.get('model')?.price).toMatchObject({
      tiers: [{ rates: { input_tokens: 1_500_000_000 } }],
    })
    expect(text).not.toContain(SECRET)
  })
})

describe('saving', () => {
  test('writes the draft with its secrets and comments, keeps the mode, and puts it in force', async () => {
    const { hash, text } = await configuration.read()
    const answer = await configuration.save(
      { text: `${text}# The end.\n`, edits: [price('1.50')] },
      hash,
      EDITOR,
    )
    expect(await saved()).toBe(`${TEXT.replace('input = 1', 'input = 1.50')}# The end.\n`)
    expect(answer.hash).toBe((await configuration.read()).hash)
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    expect(reloads).toBe(1)
    expect(await readdir(folder.path)).toEqual(['tollgate.toml'])
  })

  test('is refused if the file has changed since it was read', async () => {
    const { hash } = await configuration.read()
    const theirs = TEXT.replace('# Ours.', '# Theirs.')
    await writeFile(path, theirs)
    expect(configuration.save({ edits: [price('2')] }, hash, EDITOR)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'configuration_changed',
    })
    expect(await saved()).toBe(theirs)
    expect(reloads).toBe(0)
  })

  test('refuses the second of two at once', async () => {
    const { hash } = await configuration.read()
    const both = await Promise.allSettled([
      configuration.save({ edits: [price('2')] }, hash, EDITOR),
      configuration.save({ edits: [price('3')] }, hash, EDITOR),
    ])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await saved()).toContain('input = 2')
  })

  test.each([
    ['a mistake', { edits: [price('much')] }, 'unprocessable', 'models[0].price.input'],
    ['text that is not TOML', { text: 'a = ' }, 'unprocessable', 'text'],
    [
      'a hidden key for another address',
      { edits: [{ op: 'set', path: ['providers', 0, 'base_url'], value: 'https://evil.example' } as const] },
      'unprocessable',
      'providers[0].api_keys[0]',
    ],
  ] as const)('of %s changes nothing', async (_, draft, kind, param) => {
    const { hash } = await configuration.read()
    const refusal = await configuration.save(draft, hash, EDITOR).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(refusal).toMatchObject({ kind, param })
    expect(await saved()).toBe(TEXT)
    expect(reloads).toBe(0)
  })

  test('keeps CR LF and the byte order mark, which a browser drops from the text', async () => {
    const theirs = `\uFEFF${TEXT.replaceAll('\n', '\r\n')}`
    await writeFile(path, theirs)
    const { hash, text } = await configuration.read()
    await configuration.save(
      { text: (text ?? '').replaceAll('\r\n', '\n').replace('Ours', 'Mine') },
      hash,
      EDITOR,
    )
    expect(await saved()).toBe(theirs.replace('Ours', 'Mine'))
  })

  test('of a symbolic link replaces its target', async () => {
    const real = folder.at('real.toml')
    await writeFile(real, TEXT)
    await rm(path)
    await symlink(real, path)
    const { hash } = await configuration.read()
    await configuration.save({ edits: [price('2')] }, hash, EDITOR)
    expect(await readFile(real, 'utf8')).toBe(TEXT.replace('input = 1', 'input = 2'))
  })

  test('is refused if it would make a commented-out key readable', async () => {
    await writeFile(path, TEXT.replace('# Ours.', '#api_keys = [\n#  "commented-out-1",\n#]'))
    const { hash, text } = await configuration.read()
    expect(text).not.toContain('commented-out-1')
    const bare = (text ?? '').replace('#api_keys = [', '# A note.')
    const before = await saved()
    const refusal = await configuration.save({ text: bare }, hash, EDITOR).catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ kind: 'invalid_request', code: 'hidden_key_moved' })
    expect(await saved()).toBe(before)
  })

  test('writes a new key, which is not shown again', async () => {
    const { hash } = await configuration.read()
    const edit = { op: 'add', path: ['providers', 0, 'api_keys'], value: 'another-secret-5678' } as const
    await configuration.save({ edits: [edit] }, hash, EDITOR)
    expect(await saved()).toContain(`["${SECRET}", "another-secret-5678"]`)
    expect(JSON.stringify(await configuration.read())).not.toContain('another-secret-5678')
  })
})
