// The catalogue's past: texts that are kept, for how long, and how they come back with the keys of today.
import { beforeEach, describe, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { type Configuration, createConfiguration } from '../../src/catalogue/configuration.ts'
import {
  forgetAccount,
  keepText,
  listVersions,
  MAX_VERSIONS,
  requireVersion,
} from '../../src/catalogue/past.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { folderOfEachTest } from '../support/test-folder.ts'
import { CATALOGUE, catalogueOf } from './catalogues.ts'

const OLD = 'old-secret-of-acme-1'
const NEW = 'new-secret-of-acme-2'
const TOKEN = 'token-of-the-metrics'
const METRICS = `[metrics]\ntoken = "${TOKEN}"\n`
const HOOK = 'https://hooks.example.com/services/T0/B0/hook-token-4'
const HOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ALERTS = `[alerts]\nwebhook_url = "${HOOK}"\nwebhook_secret = "${HOOK_SECRET}"\n`
const COMMENT = '# api_keys = ["commented-out-3"]'
const TEXT = `${METRICS}${ALERTS}${COMMENT}\n${CATALOGUE.replace('"key-1"', `"${OLD}"`)}`
const OTHER_PROVIDER = `
[[providers]]
name = "other"
protocol = "openai"
base_url = "https://other.example/v1"
api_keys = ["key-of-the-other"]
`

describe('versions', () => {
  const keep = (db: Db, text: string, made_at_ms = 0) =>
    db.begin((tx) => keepText(tx, { text, made_at_ms, made_by: 'file' }))

  test('are numbered in order; equal texts in a row are one version', async () => {
    using connection = memoryDatabase()
    const db = dbOver(connection)
    expect(await Promise.all(['a', 'a', 'b', 'a'].map((text) => keep(db, text)))).toEqual([
      1,
      undefined,
      2,
      3,
    ])
  })

  test(`the newest ${MAX_VERSIONS} are kept and come in pages; older ones are not found`, async () => {
    using connection = memoryDatabase()
    const db = dbOver(connection)
    for (let count = 1; count <= MAX_VERSIONS + 20; count++) await keep(db, `# ${count}`, count)
    const first = await listVersions(db, { limit: 60 })
    const second = await listVersions(db, { limit: 60, cursor: first.next_cursor })
    const all = [...first.rows, ...second.rows]
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: MAX_VERSIONS }, (_, at) => 120 - at))
    expect(second.next_cursor).toBeUndefined()
    expect(await requireVersion(db, 21)).toEqual({
      version: 21,
      text: '# 21',
      made_at_ms: 21,
      made_by: 'file',
    })
    await expect(requireVersion(db, 20)).rejects.toThrow('Version 20 of the catalogue not found')
  })

  test.each(['', 'editor', 'session:', 'session:me', 'command:'])('have no author such as %j', (made_by) => {
    using connection = memoryDatabase()
    expect(() => connection.run('INSERT INTO catalogues VALUES (1, ?, 0, ?, 0)', ['# a', made_by])).toThrow(
      'CHECK',
    )
  })

  test.each([
    ['[limits.accounts.alice]\nrequests_per_minute = 3\n', 1],
    ['[limits]\naccounts = { "alice" = { requests_per_minute = 3 } }\n', 1],
    ['[limits.accounts.alicia]\nrequests_per_minute = 3\n', 0],
    ['[[models]]\nid = "alice"\n', 0],
  ])('%j is deleted only with an account that it names: %d deleted', async (text, count) => {
    using connection = memoryDatabase()
    const db = dbOver(connection)
    await keep(db, text)
    expect(await db.begin((tx) => forgetAccount(tx, 'alice'))).toBe(count)
    expect((await listVersions(db, { limit: 9 })).rows).toHaveLength(1 - count)
  })
})

const folder = folderOfEachTest()
let path: string
let kept: [made_by: string, text: string][]
let now_ms: number
let configuration: Configuration

beforeEach(async () => {
  path = folder.at('tollgate.toml')
  kept = []
  now_ms = 1_000_000
  await writeFile(path, TEXT)
  let in_force = catalogueOf(TEXT)
  configuration = createConfiguration({
    path,
    env: {},
    protocols: BUILT_IN_REGISTRY,
    catalogue: () => in_force,
    async reload() {
      in_force = catalogueOf(await readFile(path, 'utf8'))
    },
    waitingForRestart: () => [],
    keep: async (text, made_by) => void kept.push([made_by, text]),
    now: () => now_ms,
  })
})

const file = () => readFile(path, 'utf8')
const visibleText = async () => (await configuration.read()).text ?? ''
const hash = async () => (await configuration.read()).hash
const saveText = async (text: string) => configuration.save({ text }, await hash(), 'session:7')
const setKey = async (key: string) =>
  configuration.save(
    { edits: [{ op: 'set', path: ['providers', 0, 'api_keys', 0], value: key }] },
    await hash(),
    'session:7',
  )

describe('a kept text', () => {
  test('is the visible text with its author, kept once it is in force', async () => {
    const before = await visibleText()
    await saveText(before.replace('input = 1', 'input = 2'))
    await configuration.noticed(TEXT.replace('input = 1', 'input = 3'))
    expect(kept).toEqual([
      ['session:7', before.replace('input = 1', 'input = 2')],
      ['file', before.replace('input = 1', 'input = 3')],
    ])
  })

  test('has no key: of a provider, of a setting, in a comment, or just typed', async () => {
    await configuration.noticed(TEXT)
    await setKey(NEW)
    await saveText(`${await visibleText()}# once more: ${NEW}\n`)
    expect(kept).toHaveLength(3)
    for (const secret of [OLD, NEW, TOKEN, HOOK, HOOK_SECRET, 'commented-out-3'])
      expect(JSON.stringify(kept)).not.toContain(secret)
    expect(await file()).toContain(`# once more: ${NEW}`)
  })

  test('does not come from a refused save', async () => {
    await saveText((await visibleText()).replace('input = 1', 'inptu = 1')).catch(() => {})
    await configuration.save({}, 'another', 'session:7').catch(() => {})
    expect(kept).toEqual([])
  })
})

describe('a text of the past', () => {
  const revive = async (text: string) => {
    const revived = await configuration.revive(text)
    const { mistakes } = await configuration.check({ text: revived.text })
    return { ...revived, mistakes: mistakes.map(({ path }) => path) }
  }

  test('comes back to the byte if the file has its keys', async () => {
    const past = await visibleText()
    await saveText(past.replace('input = 1', 'input = 2'))
    const { text, other_keys, mistakes } = await revive(past)
    expect([other_keys, mistakes]).toEqual([[], []])
    await saveText(text)
    expect(await file()).toBe(TEXT)
  })

  test('gets the present key of the same provider, wherever that stands now', async () => {
    const past = await visibleText()
    await writeFile(path, `${OTHER_PROVIDER}${TEXT.replace(OLD, NEW)}`)
    const { text, other_keys, mistakes } = await revive(past)
    expect([other_keys, mistakes]).toEqual([['providers[0].api_keys[0]'], []])
    await saveText(text)
    expect(await file()).toBe(TEXT.replace(OLD, NEW))
  })

  test.each(['https://other.example/hook-token-5', 'https://other.example', 'env:HOOK_API_KEY'])(
    'gets the present address of the webhook, and its secret: %s',
    async (present) => {
      const past = await visibleText()
      await writeFile(path, TEXT.replace(HOOK, present))
      const { text, other_keys } = await revive(past)
      expect(other_keys).toEqual(['alerts.webhook_url'])
      await saveText(text)
      expect(await file()).toBe(TEXT.replace(HOOK, present))
    },
  )

  test('reports that the address of the webhook is missing', async () => {
    const past = await visibleText()
    await writeFile(path, TEXT.replace(ALERTS, ''))
    const { other_keys, mistakes } = await revive(past)
    expect(other_keys).toEqual([])
    expect(mistakes).toContain('alerts.webhook_url')
  })

  test('gets the name of a variable where the key is in the environment now', async () => {
    const past = await visibleText()
    await writeFile(path, TEXT.replace(OLD, 'env:ACME_API_KEY'))
    const { text, other_keys } = await revive(past)
    expect(other_keys).toEqual(['providers[0].api_keys[0]'])
    expect(text).toContain('api_keys = ["env:ACME_API_KEY"]')
  })

  test.each([
    ['its provider was removed', TEXT.replace('"acme"', '"acme2"').replaceAll('"acme"', '"acme2"')],
    ['its provider is at another address', TEXT.replace('https://acme.example', 'https://evil.example')],
    ['it had more keys', TEXT.replace(`["${OLD}"]`, '[]')],
  ])('reports where a key is missing: %s', async (_, text) => {
    const past = await visibleText()
    await writeFile(path, text.replace(OLD, NEW))
    const { other_keys, mistakes } = await revive(past)
    expect([other_keys, mistakes]).toEqual([[], ['providers[0].api_keys[0]']])
  })
})

describe('undoing a save', () => {
  test.each([
    ['a replaced key', () => setKey(NEW)],
    [
      'a replaced provider',
      async () =>
        saveText(
          (await visibleText()).replaceAll('"acme"', '"other"').replace(/"hidden:[^"]+"\]\n/, '"k"]\n'),
        ),
    ],
    ['a removed comment', async () => saveText((await visibleText()).replace(/^# hidden:.*\n/m, ''))],
  ])('%s comes back within five minutes', async (_, change) => {
    const before = await visibleText()
    await change()
    expect(await file()).not.toBe(TEXT)
    await saveText(before)
    expect(await file()).toBe(TEXT)
  })

  test('a replaced key does not come back later, or after another save', async () => {
    const before = await visibleText()
    await setKey(NEW)
    now_ms += 5 * 60_000
    expect(saveText(before)).rejects.toMatchObject({ param: 'providers[0].api_keys[0]' })
    await saveText(`${await visibleText()}# Another line.\n`)
    await saveText(`${await visibleText()}# And another.\n`)
    expect(saveText(before)).rejects.toMatchObject({ param: 'providers[0].api_keys[0]' })
  })

  test('is refused over a later save of somebody else', async () => {
    const before = await visibleText()
    const { hash: own } = await setKey(NEW)
    await saveText((await visibleText()).replace('input = 1', 'input = 9'))
    expect(configuration.save({ text: before }, own, 'session:7')).rejects.toMatchObject({
      code: 'configuration_changed',
    })
    expect(await file()).toContain('input = 9')
  })
})

test('a checked draft also has a text without its typed keys', async () => {
  const text = (await visibleText()).replace(/"hidden:[^"]+"\]\n/, `"${NEW}"]\n`)
  const { text: drafted, safe_text } = await configuration.check({ text })
  expect(drafted).toContain(NEW)
  expect(safe_text).not.toContain(NEW)
  expect(safe_text?.split('\n')).toHaveLength(drafted.split('\n').length)
  expect((await configuration.check({ text: await visibleText() })).safe_text).toBe(await visibleText())
  expect((await configuration.check({ text: `${text}x = ` })).safe_text).toBeNull()
})
