// Keys in files, `file:PATH`: read with the catalogue, for service accounts only, and again when they change.
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { CatalogueReading } from '../../src/catalogue/load.ts'
import { readCatalogueFile } from '../../src/catalogue/load-file.ts'
import { type WatchedCatalogue, watchCatalogue } from '../../src/catalogue/watch.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { eventually } from '../support/eventually.ts'
import { accountFile } from '../support/google.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()
const URL = 'http://127.0.0.1:1'
const ACCOUNT = accountFile(URL)

const write = (lines: string, env = {}): Promise<CatalogueReading> => {
  const path = folder.at('tollgate.toml')
  writeFileSync(
    path,
    `[[providers]]\nname = "one"\n${lines}\n[[models]]\nid = "m"\nkind = "text"\nroutes = [{ provider = "one", model = "x" }]\nprice = { input = 1, output = 1 }\n`,
  )
  return readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY })
}
const put = (name: string, text: string) => writeFileSync(folder.at(name), text)

describe('a service account', () => {
  test.each([
    ['in a file beside the catalogue', 'server = "vertex"\napi_keys = ["file:vertex.json"]'],
    ['in a variable', 'server = "vertex"\napi_keys = ["env:ACCOUNT"]'],
    ['in the catalogue itself', `server = "vertex"\napi_keys = [${JSON.stringify(ACCOUNT)}]`],
    ['for Claude', 'server = "vertex"\nprotocol = "anthropic"\napi_keys = ["file:vertex.json"]'],
  ])('%s', async (_, lines) => {
    put('vertex.json', `${ACCOUNT}\n`)
    const reading = await write(lines, { ACCOUNT })
    expect(reading).toMatchObject({ ok: true, warnings: [] })
    if (reading.ok) expect(reading.catalogue.providers.get('one')).toMatchObject({ api_keys: [ACCOUNT] })
  })
})

describe('an address without base_url', () => {
  test.each([
    ['', 'https://aiplatform.googleapis.com'],
    ['region = "europe-west1"', 'https://europe-west1-aiplatform.googleapis.com'],
    ['region = "eu"', 'https://aiplatform.eu.rep.googleapis.com'],
    ['region = "us"', 'https://aiplatform.us.rep.googleapis.com'],
  ])('%p: %s', async (region, base_url) => {
    const reading = await write(`server = "vertex"\n${region}\napi_keys = [${JSON.stringify(ACCOUNT)}]`)
    expect(reading).toMatchObject({ ok: true })
    if (reading.ok)
      expect(reading.catalogue.providers.get('one')).toMatchObject({ base_url, protocol: 'gemini' })
  })
})

describe('a mistake', () => {
  test.each([
    ['another server', 'server = "groq"\napi_keys = ["file:vertex.json"]', 'is for server = "vertex"'],
    [
      'an account for another server',
      `server = "groq"\napi_keys = [${JSON.stringify(ACCOUNT)}]`,
      'is for server = "vertex"',
    ],
    [
      'an account in the catalogue itself that was cut',
      `server = "vertex"\napi_keys = [${JSON.stringify(ACCOUNT.slice(0, 500))}]`,
      'must be the whole JSON file',
    ],
    [
      'the text of a file after the prefix',
      `server = "vertex"\napi_keys = ['file:{"type": "service_account"}']`,
      'must be "file:" and the path of a file',
    ],
    [
      'Claude by an API key',
      'server = "vertex"\nprotocol = "anthropic"\napi_keys = ["AIzaSyD-0123"]',
      "must be the JSON file of a service account's key",
    ],
  ])('%s', async (_, lines, message) => {
    put('vertex.json', ACCOUNT)
    const reading = await write(lines)
    expect(reading).toMatchObject({
      ok: false,
      mistakes: expect.arrayContaining([
        {
          path: 'providers[0].api_keys[0]',
          line: expect.any(Number),
          message: expect.stringContaining(message),
        },
      ]),
    })
    expect(JSON.stringify(reading)).not.toContain('PRIVATE KEY')
  })
})

describe('a file that cannot be read disables its provider', () => {
  test.each([
    ['missing', 'none.json', 'not found'],
    ['a folder', 'sub', 'it is no file'],
    ['too long', 'long.json', 'it is longer than 64 KB'],
  ])('%s', async (_, name, why) => {
    mkdirSync(folder.at('sub'))
    put('long.json', ' '.repeat(70_000))
    const reading = await write(`server = "vertex"\napi_keys = ["file:${name}"]`)
    expect(reading).toMatchObject({
      ok: true,
      warnings: [
        {
          path: 'providers[0].api_keys[0]',
          message: `needs the file ${name}, which cannot be read (${why}): the provider "one" is disabled. Put it there, readable for the user that runs the gateway`,
        },
      ],
    })
    if (reading.ok)
      expect(reading.catalogue.models.get('m')?.unavailable).toEndWith(
        `what they need is missing or cannot be used: file:${name}`,
      )
  })
})

describe('a key outside the catalogue that cannot be used disables its provider, and nothing else', () => {
  const LOGIN = accountFile(URL, { type: 'authorized_user' })

  test.each([
    ['a login of a person', LOGIN, 'must be the key of a service account, not of type "authorized_user"'],
    ['a key that was cut', ACCOUNT.slice(0, 500), "must be the whole JSON file of a service account's key"],
    ['a text that is not JSON', 'Not found', "must be the JSON file of a service account's key"],
    ['an API key', 'AIzaSyD-0123', "must be the JSON file of a service account's key"],
    ['an empty file', '', "must be the JSON file of a service account's key"],
  ])('%s', async (_, text, problem) => {
    put('key.json', text)
    const sources = text === '' ? ['file:key.json'] : ['file:key.json', 'env:ACCOUNT']
    for (const source of sources) {
      const reading = await write(`server = "vertex"\nprotocol = "anthropic"\napi_keys = ["${source}"]`, {
        ACCOUNT: text,
      })
      expect(reading).toMatchObject({
        ok: true,
        warnings: [
          {
            path: 'providers[0].api_keys[0]',
            message: expect.stringContaining(
              `names a key that cannot be used: the provider "one" is disabled. ${source} ${problem}`,
            ),
          },
        ],
      })
      if (!reading.ok) continue
      expect(reading.catalogue.models.get('m')?.unavailable).toEndWith(source)
      expect(JSON.stringify(reading)).not.toContain('PRIVATE KEY')
    }
  })

  test('is left out alone beside another key', async () => {
    put('key.json', 'Not found')
    put('vertex.json', ACCOUNT)
    const reading = await write('server = "vertex"\napi_keys = ["file:key.json", "file:vertex.json"]')
    expect(reading).toMatchObject({
      ok: true,
      warnings: [{ message: expect.stringContaining('this key is left out') }],
    })
    if (reading.ok) expect(reading.catalogue.providers.get('one')?.api_keys).toEqual([ACCOUNT])
  })
})

describe('a key file', () => {
  let watched: WatchedCatalogue | undefined
  afterEach(() => watched?.close())

  test.each([
    ['is replaced', ACCOUNT],
    ['comes later', undefined],
  ])('%s and is read again, although the catalogue is unchanged', async (_, before) => {
    if (before !== undefined) put('vertex.json', before)
    await write('server = "vertex"\napi_keys = ["file:vertex.json"]')
    const watching = await watchCatalogue(folder.at('tollgate.toml'), {
      env: {},
      protocols: BUILT_IN_REGISTRY,
      onChange() {},
      onMistakes() {},
      poll_ms: 5,
    })
    if (!watching.ok) throw new Error('the catalogue has mistakes')
    watched = watching.watched
    const keys = () => watching.watched.current().providers.get('one')?.api_keys
    expect(keys()).toEqual(before === undefined ? undefined : [before])
    const after = accountFile(URL, { project_id: 'another-project' })
    put('vertex.json', after)
    await eventually('the file was read', () => keys()?.[0] === after)
  })
})
