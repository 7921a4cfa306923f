// The catalogue of a running gateway: a good edit is applied, a bad one changes nothing.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mistake } from '../../src/catalogue/mistakes.ts'
import { type CatalogueChange, type WatchedCatalogue, watchCatalogue } from '../../src/catalogue/watch.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { folderOfEachTest } from '../support/test-folder.ts'
import { CATALOGUE, MODEL } from './catalogues.ts'

const TWO_MODELS = CATALOGUE + MODEL.replace('"model"', '"second"')
const BROKEN = CATALOGUE.replace('"gemini"', '"gemni"')

const folder = folderOfEachTest()
let path: string
let watched: WatchedCatalogue | undefined

beforeEach(() => {
  path = folder.at('tollgate.toml')
})
afterEach(() => watched?.close())

/** Watches `path`; `next()` is the next report. */
async function watching(
  text: string,
  { poll_ms = 5, env = {} }: { poll_ms?: number; env?: Record<string, string> } = {},
) {
  await writeFile(path, text)
  type Reported = { change: CatalogueChange } | { mistakes: Mistake[] }
  const reported: Reported[] = []
  let wake = () => {}
  const report = (event: Reported) => {
    reported.push(event)
    wake()
  }
  const watching = await watchCatalogue(path, {
    env,
    protocols: BUILT_IN_REGISTRY,
    poll_ms,
    onChange: (change) => report({ change }),
    onMistakes: (mistakes) => report({ mistakes }),
  })
  if (!watching.ok) throw new Error(JSON.stringify(watching.mistakes))
  watched = watching.watched
  return {
    watched: watching.watched,
    reported,
    modelIds: () => [...watching.watched.current().models.keys()],
    async next(): Promise<{ change?: CatalogueChange; mistakes?: Mistake[] }> {
      if (reported.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return reported.shift() ?? {}
    },
  }
}

describe('the file changes', () => {
  test('by writing into it: the new catalogue is current when it is reported', async () => {
    const { modelIds, next } = await watching(CATALOGUE)
    expect(modelIds()).toEqual(['model'])
    await writeFile(path, TWO_MODELS)
    const { change } = await next()
    expect(change?.catalogue.models.size).toBe(2)
    expect(modelIds()).toEqual(['model', 'second'])
  })

  test('by being replaced, as editors do, several times', async () => {
    const { modelIds, next } = await watching(CATALOGUE)
    for (const [text, ids] of [
      [TWO_MODELS, ['model', 'second']],
      [CATALOGUE, ['model']],
    ] as const) {
      await writeFile(join(folder.path, '.swap'), text)
      await rename(folder.at('.swap'), path)
      await next()
      expect(modelIds()).toEqual([...ids])
    }
  })

  test('by pointing its symbolic link to another file', async () => {
    await writeFile(join(folder.path, 'two.toml'), TWO_MODELS)
    await writeFile(join(folder.path, 'one.toml'), CATALOGUE)
    await symlink(folder.at('one.toml'), path)
    const { modelIds, next } = await watching(CATALOGUE)
    await symlink(folder.at('two.toml'), folder.at('link'))
    await rename(folder.at('link'), path)
    await next()
    expect(modelIds()).toEqual(['model', 'second'])
  })

  test('to one with mistakes: they are reported once, the last good one stays, and the next good one is applied', async () => {
    const { modelIds, next, reported } = await watching(CATALOGUE)
    await writeFile(path, BROKEN)
    expect(await next()).toMatchObject({ mistakes: [{ path: 'providers[0].protocol', line: 4 }] })
    expect(modelIds()).toEqual(['model'])
    // Ten more polls of the unchanged file. A poll without a change reports nothing, so the test waits for the time.
    await Bun.sleep(50)
    expect(reported).toEqual([])
    await writeFile(path, TWO_MODELS)
    expect((await next()).mistakes).toBeUndefined()
    expect(modelIds()).toEqual(['model', 'second'])
  })

  test('by being deleted: the deletion is reported, the last good one stays, and the file may come back', async () => {
    const { modelIds, next } = await watching(CATALOGUE)
    await unlink(path)
    expect(await next()).toMatchObject({ mistakes: [{ path: '', line: 1 }] })
    expect(modelIds()).toEqual(['model'])
    await writeFile(path, TWO_MODELS)
    await next()
    expect(modelIds()).toEqual(['model', 'second'])
  })
})

describe('settings that wait for a restart', () => {
  const server = (lines: string) => `[server]\n${lines}\n${CATALOGUE}`
  test.each([
    ['listen = "127.0.0.1:9"', ['server.listen']],
    ['ledger_writer = "inline"', []],
    [
      'listen = "127.0.0.1:9"\ntls_key = "key.pem"\ntls_certificate = "certificate.pem"',
      ['server.listen', 'server.tls_certificate', 'server.tls_key'],
    ],
    ['log_level = "debug"\non_disconnect = "drain"', []],
    ['listen = "127.0.0.1:8080"', []],
  ])('%p', async (lines, waiting_for_restart) => {
    const { watched, next } = await watching(CATALOGUE, { poll_ms: 3_600_000 })
    await writeFile(path, server(lines))
    await watched.reload()
    expect((await next()).change?.waiting_for_restart).toEqual(waiting_for_restart)
  })

  test('the bucket of files', async () => {
    const { watched, next } = await watching(CATALOGUE, { poll_ms: 3_600_000 })
    const storage = 'files = "s3://files"\naccess_key_id = "id"\nsecret_access_key = "secret"'
    await writeFile(path, `[storage]\n${storage}\n${CATALOGUE}`)
    await watched.reload()
    expect((await next()).change?.waiting_for_restart).toEqual(['storage.files'])
  })

  test('no longer wait when they are put back', async () => {
    const { watched, next } = await watching(CATALOGUE, { poll_ms: 3_600_000 })
    for (const [text, waiting_for_restart] of [
      [server('listen = "127.0.0.1:9"'), ['server.listen']],
      [CATALOGUE, []],
    ] as const) {
      await writeFile(path, text)
      await watched.reload()
      expect((await next()).change?.waiting_for_restart).toEqual([...waiting_for_restart])
    }
  })
})

describe('reload', () => {
  test('reads a file that has not changed, because the environment may have', async () => {
    const env = { KEY: 'old' }
    const { watched } = await watching(CATALOGUE.replace('"key-1"', '"env:KEY"'), { env, poll_ms: 3_600_000 })
    env.KEY = 'new'
    await watched.reload()
    expect(watched.current().providers.get('acme')?.api_keys).toEqual(['new'])
  })

  test('of a bad file does not throw, and reports', async () => {
    const { watched, next } = await watching(CATALOGUE, { poll_ms: 3_600_000 })
    await writeFile(path, 'x =')
    await watched.reload()
    expect((await next()).mistakes).toHaveLength(1)
  })

  test('after close reports nothing', async () => {
    const { watched, reported } = await watching(CATALOGUE, { poll_ms: 3_600_000 })
    watched.close()
    await writeFile(path, TWO_MODELS)
    await watched.reload()
    expect(reported).toEqual([])
    expect(watched.current().models.size).toBe(1)
  })
})

test('a first reading with mistakes gives the mistakes, and watches nothing', async () => {
  await writeFile(path, BROKEN)
  const outcome = await watchCatalogue(path, {
    env: {},
    protocols: BUILT_IN_REGISTRY,
    onChange: () => {},
    onMistakes: () => {},
  })
  expect(outcome).toMatchObject({ ok: false, mistakes: [{ path: 'providers[0].protocol' }] })
})
