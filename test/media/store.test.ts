// Files on disk: complete or absent, under keys that cannot leave the folder, counted while they are written.
import { beforeEach, describe, expect, test } from 'bun:test'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFileStore, type FolderStore } from '../../src/media/store.ts'
import { randomOf } from '../providers/random-numbers.ts'
import { folderOfEachTest } from '../support/test-folder.ts'
import { refusalOf } from './support.ts'

const folder = folderOfEachTest()
let store: FolderStore
beforeEach(() => {
  store = createFileStore(folder.at('files'))
})

const text = (content: string): Uint8Array => new TextEncoder().encode(content)
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')
const read = async (key: string): Promise<string | undefined> => {
  const file = await store.open(key)
  return file && new TextDecoder().decode(await file.bytes())
}
const list = async () => (await Array.fromAsync(store.list())).map(({ key, bytes }) => ({ key, bytes }))
const KEY = `files/7/${randomUUID()}_cat.png`

const streamOf = (...chunks: Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

/** All files and folders below the test's folder.path, including the store's own. */
const everything = (): Promise<string[]> => readdir(folder.path, { recursive: true })

describe('put, open, remove, list', () => {
  test.each([
    ['bytes', () => text('a cat')],
    ['a stream', () => streamOf(text('a '), new Uint8Array(), text('cat'))],
  ])('%s are counted, hashed and read back', async (_, content) => {
    expect(await store.put(KEY, content())).toEqual({ bytes: 5, sha256: sha256(text('a cat')) })
    expect(await read(KEY)).toBe('a cat')
    expect(await list()).toEqual([{ key: KEY, bytes: 5 }])
  })

  test('an empty file is a file', async () => {
    expect(await store.put(KEY, new Uint8Array())).toEqual({ bytes: 0, sha256: sha256(new Uint8Array()) })
    expect(await read(KEY)).toBe('')
  })

  test('a file of the same key is replaced', async () => {
    await store.put(KEY, text('one'))
    await store.put(KEY, text('two'))
    expect(await read(KEY)).toBe('two')
    expect((await list()).length).toBe(1)
  })

  test('a removed file is gone; removing it again, or one that never existed, does nothing', async () => {
    await store.put(KEY, text('a cat'))
    for (const key of [KEY, KEY, 'files/7/none.png']) await store.remove(key)
    expect(await store.open(KEY)).toBeUndefined()
    expect(await list()).toEqual([])
  })

  test('a quarantined file is no longer listed or found, and is kept in the folder .strays', async () => {
    await store.put(KEY, text('a cat'))
    await store.folder.quarantine(KEY)
    expect(await list()).toEqual([])
    expect(await store.open(KEY)).toBeUndefined()
    expect(await Bun.file(folder.at('files', '.strays', KEY)).text()).toBe('a cat')
  })

  test('a folder is not a file, nor is a path through a file', async () => {
    await store.put('files/7/a.png', text('a cat'))
    expect(await store.open('files/7')).toBeUndefined()
    await store.remove('files/7')
    expect(await store.open('files/7/a.png/b.png')).toBeUndefined()
    expect(await read('files/7/a.png')).toBe('a cat')
  })

  test('a store without a folder is empty', async () => {
    expect(await list()).toEqual([])
    expect(await store.open(KEY)).toBeUndefined()
    await store.folder.removeLeftovers()
    expect(await everything()).toEqual([])
  })

  test('only the user of the gateway can read files and folders', async () => {
    await store.put(KEY, text('a cat'))
    const { mode: file } = await Bun.file(folder.at('files', KEY)).stat()
    const { mode: parent } = await Bun.file(folder.at('files', 'files/7')).stat()
    expect([file & 0o777, parent & 0o777]).toEqual([0o600, 0o700])
  })

  test('many files are written at once, under one key and under many', async () => {
    const contents = Array.from({ length: 40 }, (_, index) => `${index}`.repeat(index + 1))
    await Promise.all(
      contents.flatMap((content, index) => [
        store.put('same.png', text(content)),
        store.put(`files/${index % 3}/${index}.png`, streamOf(text(content))),
      ]),
    )
    expect(contents).toContain((await read('same.png')) ?? '')
    for (const [index, content] of contents.entries())
      expect(await read(`files/${index % 3}/${index}.png`)).toBe(content)
    expect((await list()).length).toBe(41)
  })
})

describe('keys cannot leave the folder: 400 invalid_image_key', () => {
  const hostile = [
    '',
    '.',
    '..',
    '/',
    '../a',
    'a/..',
    'a/../b',
    'files/7/../8/b.png',
    '/etc/passwd',
    'files//7',
    'files/7/',
    './a',
    'a/./b',
    '...',
    '.hidden',
    'files/.hidden',
    '.incoming/a',
    '.incoming',
    '..\\a',
    'a\\b',
    'C:\\a',
    'C:a',
    'a:b',
    '~/a',
    '~',
    'a b',
    'a\0b',
    'a\n',
    '\na',
    'a%2fb',
    'a/%2e%2e/b',
    '%2e%2e',
    'a?b',
    'a#b',
    'a*b',
    'a|b',
    "a'b",
    'a"b',
    'a$b',
    'a;b',
    'ａ',
    '．．/a',
    'ä.png',
    'a\u202e.png',
    '-a',
    'a/-b',
    'a/b/c/d/e',
    'a'.repeat(129),
    `${'a'.repeat(100)}/${'b'.repeat(100)}/${'c'.repeat(100)}`,
    'file:///etc/passwd',
    'https://images.example.com/a.png',
  ]
  test.each(hostile)('%j', async (key) => {
    await writeFile(join(folder.path, 'outside.png'), 'outside')
    for (const task of [() => store.put(key, text('x')), () => store.open(key), () => store.remove(key)])
      expect(await refusalOf(task)).toMatchObject({ kind: 'invalid_request', code: 'invalid_image_key' })
    expect(await everything()).toEqual(['outside.png'])
  })

  test('no random text writes outside the folder', async () => {
    const chance = randomOf(7)
    const pieces = ['..', '.', '/', '\\', 'a', '%2e', '\0', ':', '~', 'files', '7', '-', '_', ' ', '．']
    await writeFile(join(folder.path, 'a'), 'outside')
    for (let round = 0; round < 300; round += 1) {
      const length = 1 + Math.floor(chance() * 6)
      const key = Array.from({ length }, () => pieces[Math.floor(chance() * pieces.length)] ?? '').join('')
      // Most are refused; the test checks the files that were written.
      await store.put(key, text('inside')).catch(() => {})
    }
    expect(await Bun.file(folder.at('a')).text()).toBe('outside')
    expect((await readdir(folder.path)).sort()).toEqual(['a', 'files'])
  })
})

describe('the limit of bytes', () => {
  test('is exact to the byte', async () => {
    expect((await store.put(KEY, text('12345'), { cap_bytes: 5 })).bytes).toBe(5)
    for (const content of [text('123456'), streamOf(text('12345'), text('6'))])
      expect(await refusalOf(() => store.put('b.png', content, { cap_bytes: 5 }))).toMatchObject({
        kind: 'payload_too_large',
        code: 'IMAGE_TOO_LARGE',
      })
    expect(await list()).toEqual([{ key: KEY, bytes: 5 }])
  })

  test('ends the reading and cancels the source', async () => {
    let pulled = 0
    let cancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(1000))
      },
      cancel() {
        cancelled = true
      },
    })
    await refusalOf(() => store.put(KEY, endless, { cap_bytes: 10_000 }))
    expect(pulled).toBeWithin(11, 15)
    expect(cancelled).toBe(true)
  })
})

describe('a write that fails', () => {
  const breaking = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(text('half'))
      },
      pull(controller) {
        controller.error(new Error('the caller left'))
      },
    })

  test('leaves nothing, neither under its key nor elsewhere', async () => {
    await expect(store.put(KEY, breaking())).rejects.toThrow('the caller left')
    expect(await store.open(KEY)).toBeUndefined()
    expect(await readdir(folder.at('files', '.incoming'))).toEqual([])
  })

  test('leaves an earlier file of the key unchanged', async () => {
    await store.put(KEY, text('before'))
    await expect(store.put(KEY, breaking())).rejects.toThrow()
    expect(await read(KEY)).toBe('before')
  })

  test('because its folder cannot be created throws, and leaves nothing', async () => {
    await store.put('a.png', text('a file'))
    await expect(store.put('a.png/b.png', text('b'))).rejects.toThrow()
    expect(await list()).toEqual([{ key: 'a.png', bytes: 6 }])
    expect(await readdir(folder.at('files', '.incoming'))).toEqual([])
  })
})

describe('a crash', () => {
  test('leaves only what the next start removes; complete files stay', async () => {
    await store.put(KEY, text('whole'))
    const incoming = folder.at('files', '.incoming')
    await writeFile(join(incoming, randomUUID()), 'half')
    expect(await list()).toEqual([{ key: KEY, bytes: 5 }])
    await createFileStore(folder.at('files')).folder.removeLeftovers()
    expect(await everything()).not.toContain('files/.incoming')
    expect(await read(KEY)).toBe('whole')
    await store.put('after.png', text('after'))
    expect(await read('after.png')).toBe('after')
  })

  test('at any moment of a write leaves the old file or the new one, complete', async () => {
    const root = folder.at('files')
    const script = `
      const { createFileStore } = await import(${JSON.stringify(join(import.meta.dir, '../../src/media/store.ts'))})
      const store = createFileStore(${JSON.stringify(root)})
      for (let round = 0; ; round += 1) {
        await store.put('files/7/a.png', new Uint8Array(200_000).fill(round))
        process.stdout.write('written ')
      }`
    for (let round = 0; round < 6; round += 1) {
      const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
      const reader = child.stdout.getReader()
      // After this number of writes the process is somewhere within the next one.
      for (let read = 0; read <= round; read += 1) await reader.read()
      child.kill('SIGKILL')
      await child.exited
      await store.folder.removeLeftovers()
      const bytes = (await (await store.open('files/7/a.png'))?.bytes()) ?? new Uint8Array()
      expect(bytes.length).toBe(200_000)
      expect(bytes.every((byte) => byte === bytes[0])).toBe(true)
      expect((await list()).length).toBe(1)
    }
  })
})

test('entries that the store did not write are not listed', async () => {
  const root = folder.at('files')
  await mkdir(join(root, 'empty'), { recursive: true })
  await writeFile(join(root, '.DS_Store'), 'x')
  await writeFile(join(root, 'with space.png'), 'x')
  await symlink('/etc/passwd', join(root, 'link.png'))
  expect(await list()).toEqual([])
})
