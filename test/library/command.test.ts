// The commands `image` and `file`: lists of accounts, and deletions, with the bytes and a line in the audit log.
import { beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { beginGenerations, storeGenerations } from '../../src/library/generations.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { foldersIn, openLibrary } from '../../src/library/library.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'
import { paint } from '../media/support.ts'

const PNG = await paint('png')
const DAY_MS = 86_400_000
const scene = sceneOfEachTest()

let images: Record<'of_alice' | 'of_bob' | 'making', string>
let keys: string[]

/** An image of each of two accounts, one that is being made, and two uploads of the first, a day apart. */
beforeEach(async () => {
  for (const name of ['alice', 'bob']) {
    await scene.run('account', 'create', name)
    await scene.run('key', 'create', name)
  }
  const file = openDatabase(scene.path('tollgate.db'))
  file.run(
    "INSERT INTO holds SELECT value, 1 + (value = 2), 1 + (value = 2), 'r' || value, 0, 'expired', 0, 0, NULL, 0, NULL FROM json_each('[1, 2, 3]')",
  )
  file.close()
  await using db = openDb(scene.path('tollgate.db'))
  let now_ms = scene.now_ms - DAY_MS
  const library = openLibrary({
    db,
    ...foldersIn(scene.dir),
    now: () => now_ms,
    gateway_id: 1,
    probe: () => {},
  })
  const upload = async (filename: string) => {
    const intake = beginIntake(library, 1)
    await intake.add({ filename, content: new Blob([PNG]).stream() })
    return (await intake.commit())[0]?.key ?? ''
  }
  const begin = async (account_id: number, call_id: number, model: string) =>
    (
      await beginGenerations(
        library,
        { account_id, call_id, kind: 'generation', model, prompt: 'a secret cat', parents: [] },
        1,
      )
    )[0] ?? ''
  const make = async (account_id: number, call_id: number, model: string) => {
    const uuid = await begin(account_id, call_id, model)
    const image = { bytes: PNG, mime: 'image/png', width: 24, height: 18, revised_prompt: null } as const
    await storeGenerations(library, account_id, [uuid], [image])
    return uuid
  }
  const [first, of_alice] = [await upload('first.png'), await make(1, 1, 'flux')]
  now_ms = scene.now_ms
  keys = [await upload('second.png'), first]
  images = { of_alice, of_bob: await make(2, 2, 'dall-e'), making: await begin(1, 3, 'flux') }
})

const imagePath = (account_id: number, uuid: string) => scene.path(`images/${account_id}/${uuid}.png`)
const actions = async () =>
  (await scene.json('audit-log')).actions
    .map(({ action, account }: Record<string, string>) => `${action} ${account}`)
    .filter((line: string) => line.includes('.deleted'))

describe('image list', () => {
  test.each([
    [[], ['making', 'of_bob', 'of_alice']],
    [
      ['--account', 'alice'],
      ['making', 'of_alice'],
    ],
    [['--model', 'dall-e'], ['of_bob']],
    [
      ['--since', '1h'],
      ['making', 'of_bob'],
    ],
    [['--until', '1h'], ['of_alice']],
    [['--limit', '1'], ['making']],
  ] as const)('%j', async (options, expected) => {
    const { images: listed } = await scene.json('image', 'list', ...options)
    expect(listed.map(({ image }: { image: string }) => image)).toEqual(expected.map((name) => images[name]))
  })

  test('shows accounts and costs, and no prompts', async () => {
    const { out } = await scene.run('image', 'list')
    expect(out).toContain(images.of_bob)
    expect(out).toMatch(/alice .*flux .*generating/)
    const csv = (await scene.run('image', 'list', '--csv')).out
    expect(csv).toContain(`${images.of_alice},alice,flux,generation,stored,`)
    for (const text of [out, csv, JSON.stringify(await scene.json('image', 'list'))])
      expect(text).not.toContain('secret cat')
  })
})

describe('file list', () => {
  test('has the files of the account, newest first, also limited to a time', async () => {
    const keysOf = async (...options: string[]) =>
      (await scene.json('file', 'list', 'alice', ...options)).files.map(({ key }: { key: string }) => key)
    expect(await keysOf()).toEqual(keys)
    expect(await keysOf('--since', '1h')).toEqual(keys.slice(0, 1))
    expect(await keysOf('--until', '1h')).toEqual(keys.slice(1))
    expect((await scene.run('file', 'list', 'bob')).out).toBe('No files.')
  })

  test('needs an existing account', async () => {
    expect((await scene.run('file', 'list')).status).toBe(2)
    expect(await scene.refusal('file', 'list', 'carol')).toContain('carol')
  })
})

describe('delete', () => {
  test('removes the row and the bytes of an image, and adds a line to the audit log', async () => {
    const path = imagePath(1, images.of_alice)
    expect(existsSync(path)).toBe(true)
    const { out } = await scene.run('image', 'delete', images.of_alice.toUpperCase(), '--yes')
    expect([out, existsSync(path)]).toEqual(['1 image deleted.', false])
    expect((await scene.json('image', 'list', '--account', 'alice')).images).toHaveLength(1)
    expect(await actions()).toEqual(['image.deleted alice'])
    expect((await scene.json('audit')).clean).toBe(true)
  })

  test('removes several files at once, and one that is named twice only once', async () => {
    expect(await scene.json('file', 'delete', ...keys, ...keys, '--yes')).toEqual({ deleted: keys })
    expect((await scene.run('file', 'list', 'alice')).out).toBe('No files.')
    expect(await actions()).toEqual(['file.deleted alice', 'file.deleted alice'])
    expect((await scene.json('audit')).clean).toBe(true)
  })

  test.each([
    [
      'image',
      () => [images.of_bob, crypto.randomUUID()],
      /Image .* not found\. Use one from the column IMAGE of `image list`/,
    ],
    ['image', () => [images.of_bob, images.making], /is still being generated\. Delete it afterwards/],
    [
      'file',
      () => [keys[0] ?? '', 'files/1/none.png'],
      /File files\/1\/none\.png not found\. Use one from the column FILE of `file list`/,
    ],
    ['file', () => [(keys[0] ?? '').replace('files/1/', 'files/2/')], /not found/],
    ['file', () => ['../../tollgate.db'], /not found/],
  ])('%s: removes nothing if one of them cannot be removed', async (command, names, words) => {
    expect(await scene.refusal(command, 'delete', ...names(), '--yes')).toMatch(words)
    expect((await scene.json('image', 'list')).images).toHaveLength(3)
    expect((await scene.json('file', 'list', 'alice')).files).toHaveLength(2)
    expect(await actions()).toEqual([])
  })

  test('asks first; without a terminal, or if the answer is "n", it changes nothing', async () => {
    expect(await scene.refusal('image', 'delete', images.of_bob)).toContain(
      'This deletes 1 image. It cannot be undone. Nothing was changed. Add --yes to skip the question.',
    )
    const questions: string[] = []
    const answer = (reply: string) => async (question: string) => {
      questions.push(question)
      return reply
    }
    scene.ask = answer('n')
    expect((await scene.run('image', 'delete', images.of_bob)).status).toBe(1)
    expect(existsSync(imagePath(2, images.of_bob))).toBe(true)
    scene.ask = answer('y')
    expect((await scene.run('image', 'delete', images.of_bob)).out).toBe('1 image deleted.')
    expect(questions).toEqual(['Delete? [y/N] ', 'Delete? [y/N] '])
  })
})
