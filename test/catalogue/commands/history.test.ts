// `config history` and `config restore`: changes with their authors, and an earlier version in force again.
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { type Author, keepText } from '../../../src/catalogue/past.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { NOW, sceneOfEachTest } from '../../app/commands/scene.ts'
import { acmeText } from '../catalogues.ts'

const SECRET = 'secret-of-acme-1'
const TEXT = acmeText(SECRET)
const priced = (input: number) => TEXT.replace('input = 1', `input = ${input}`)
/** A text as the database keeps it. */
const marked = (text: string, mark = 'hidden:AAAAAAAA') => text.replace(SECRET, mark)

const scene = sceneOfEachTest(async (scene) => {
  await using db = openDb(scene.path('tollgate.db'))
  const versions: [string, Author][] = [
    [marked(TEXT), 'file'],
    [marked(priced(3)), 'session:4'],
    [marked(priced(5)).replace('# ours', '# mine'), 'command:prices import'],
  ]
  for (const [at, [text, made_by]] of versions.entries())
    await db.begin((tx) => keepText(tx, { text, made_by, made_at_ms: NOW + at * 60_000 }))
  writeFileSync(scene.path('tollgate.toml'), priced(5).replace('# ours', '# mine'))
})
const file = () => readFileSync(scene.path('tollgate.toml'), 'utf8')

describe('config history', () => {
  test('lists the newest first: when, by whom, what changed', async () => {
    const { out, status } = await scene.run('config', 'history')
    const lines = out.split('\n').map((line) => line.trimEnd())
    expect([status, lines.length]).toEqual([0, 4])
    expect(lines[1]).toMatch(/^ +3 +2026-11-21T12:02:00\S+ +prices import +model flash \(price\)$/)
    expect(lines[2]).toMatch(/ console +model flash \(price\)$/)
    expect(lines[3]).toMatch(/ file +-$/)
  })

  test('prints at most --limit versions as JSON', async () => {
    expect(await scene.json('config', 'history', '--limit', '1')).toEqual({
      versions: [
        {
          version: 3,
          made_at_ms: NOW + 120_000,
          made_at: new Date(NOW + 120_000).toISOString(),
          made_by: 'command:prices import',
          changed: [{ kind: 'model', name: 'flash', change: 'changed', fields: ['price'] }],
        },
      ],
    })
  })

  test.each([
    ['2', ['-price = { input = 1, output = 2 } # ours', '+price = { input = 3, output = 2 } # ours']],
    ['1', ['+[[providers]]', '+api_keys = ["hidden:AAAAAAAA"]']],
  ])('prints the lines of version %s', async (version, lines) => {
    const { out } = await scene.run('config', 'history', version)
    for (const line of lines) expect(out.split('\n')).toContain(line)
  })
})

describe('config restore', () => {
  test('shows the lines, asks, and writes them with the key of the file', async () => {
    scene.ask = async () => 'y'
    const { status, out, err } = await scene.run('config', 'restore', '2')
    expect(status).toBe(0)
    expect(out).toContain(
      '-price = { input = 5, output = 2 } # mine\n+price = { input = 3, output = 2 } # ours',
    )
    expect(err).toContain('Keys stay as they are now: providers[0].api_keys[0].')
    expect(file()).toBe(priced(3))
    expect(out + err).not.toContain(SECRET)
    const { versions } = await scene.json('config', 'history', '--limit', '1')
    expect(versions).toMatchObject([{ version: 4, made_by: 'command:config restore' }])
    using db = openDatabase(scene.path('tollgate.db'))
    expect(
      db.query("SELECT action, subject, after FROM actions WHERE command = 'config restore'").all(),
    ).toMatchObject([
      { action: 'price.changed', subject: 'flash', after: '{"input":3}' },
      // The mark in this test belongs to no key, so the key counts as changed.
      { action: 'provider.changed', subject: 'acme', after: '{"api_keys":["(hidden)"]}' },
    ])
  })

  test('of the version in force writes nothing', async () => {
    const before = file()
    const { written } = await scene.json('config', 'restore', '3')
    expect([written, file()]).toEqual([false, before])
  })

  test('works where the file has mistakes', async () => {
    writeFileSync(scene.path('tollgate.toml'), priced(5).replace('price =', 'prices ='))
    await scene.json('config', 'restore', '1', '--yes')
    expect(file()).toBe(TEXT)
  })

  test.each<[string, args: string[], status: number, words: string, text: string]>([
    ['no terminal to ask at', ['2'], 1, 'Add --yes to skip the question.', priced(5)],
    ['an unknown version', ['9', '--yes'], 1, 'Version 9 of the catalogue not found.', priced(5)],
    ['a version that is not a number', ['first'], 2, 'Write a whole number from 1.', priced(5)],
    [
      'a removed key',
      ['2', '--yes'],
      1,
      'providers[0].api_keys[0] must be the key itself',
      TEXT.replaceAll('"acme"', '"other"'),
    ],
    ['a file that is not TOML', ['2', '--yes'], 1, 'The file is not TOML', `${TEXT}\nx = `],
  ])('%s: refused, and nothing is written', async (_, args, status, words, text) => {
    writeFileSync(scene.path('tollgate.toml'), text)
    const before = file()
    const ran = await scene.run('config', 'restore', ...args)
    expect([ran.status, file()]).toEqual([status, before])
    expect(ran.err).toContain(words)
  })
})

test('comments beside a key are printed neither from the file nor from kept versions', async () => {
  const NOTE = 'old: correct-horse of anna'
  const commented = TEXT.replace('\n\n[[models]]', ` # ${NOTE}\n\n[[models]]`)
  writeFileSync(scene.path('tollgate.toml'), commented)
  await using db = openDb(scene.path('tollgate.db'))
  for (const [at, text] of [commented, commented.replace('flash"', 'flash-2"')].entries())
    await db.begin((tx) => keepText(tx, { text: marked(text), made_by: 'file', made_at_ms: NOW + at + 1e6 }))
  for (const args of [['show'], ['history', '5'], ['history', '4'], ['restore', '4']]) {
    scene.ask = async () => 'n'
    const { out, err } = await scene.run('config', ...args)
    expect(`${out}${err}`).not.toContain('correct-horse')
    expect(`${out}${err}`).not.toBe('')
  }
  scene.ask = async () => 'y'
  expect((await scene.run('config', 'restore', '5')).status).toBe(0)
  expect(file()).toBe(commented.replace('flash"', 'flash-2"'))
})
