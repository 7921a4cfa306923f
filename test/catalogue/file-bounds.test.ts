// Keys in files, for a session of the console: it may only keep the files that the catalogue names, each for its address.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createConfiguration } from '../../src/catalogue/configuration.ts'
import { refusedChanges } from '../../src/catalogue/console-bounds.ts'
import { hideSecrets, restoreSecrets } from '../../src/catalogue/hidden-text.ts'
import { variablesIn } from '../../src/catalogue/secret-places.ts'
import { placesOf } from '../../src/catalogue/toml-places.ts'
import { createRedactor } from '../../src/observe/redact.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { accountFile } from '../support/google.ts'
import { folderOfEachTest } from '../support/test-folder.ts'
import { CATALOGUE, catalogueOf } from './catalogues.ts'

const folder = folderOfEachTest()

const block = (file: string, more = '') =>
  `[[providers]]\nname = "v"\nserver = "vertex"\n${more}\napi_keys = ["file:${file}"]\n`

test('the name of a key file is visible', () => {
  const hidden = hideSecrets(block('vertex.json'), createRedactor([]))
  expect(hidden?.text).toBe(block('vertex.json'))
  expect(hidden?.secrets).toEqual([])
})

const ELSEWHERE = [
  {
    path: 'providers[0].api_keys[0]',
    line: 5,
    message: expect.stringMatching(/^must be a file that the catalogue names already/),
  },
]

test.each([
  ['the same file', 'vertex.json', []],
  ['the same file after a space', ' vertex.json', []],
  ['another file', '/etc/shadow', ELSEWHERE],
  ['a file named like an allowed variable', '/run/secrets/OTHER_API_KEY', ELSEWHERE],
])('a draft with %s', (_, file, mistakes) => {
  const named = variablesIn(placesOf(block(file)))
  const known = new Set(['file:vertex.json'])
  expect(refusedChanges({ before: {}, after: {}, named, known })).toEqual(mistakes)
})

test.each(['other.json', 'none.json', '/etc/shadow', 'x{/../other.json', "x'/../other.json", ' other.json'])(
  'a draft does not reveal whether a file exists: %p',
  async (file) => {
    const path = folder.at('tollgate.toml')
    const text = block('vertex.json')
    writeFileSync(path, text)
    writeFileSync(folder.at('other.json'), accountFile('http://127.0.0.1:1'))
    const configuration = createConfiguration({
      path,
      env: {},
      protocols: BUILT_IN_REGISTRY,
      catalogue: () => catalogueOf(CATALOGUE),
      reload: async () => {},
      waitingForRestart: () => [],
      keep: () => Promise.resolve(),
      now: () => 0,
    })
    const { mistakes, warnings, catalogue } = await configuration.check({ text: block(file) })
    const reported = [...mistakes, ...warnings].filter((mistake) => mistake.path.endsWith('api_keys[0]'))
    expect(reported[0]?.message).toMatch(
      /^must be (?:a file that the catalogue names already|"file:" and the path)/,
    )
    expect(JSON.stringify(reported)).not.toMatch(/not found|denied|whole JSON/)
    expect(catalogue).toBeUndefined()
  },
)

test('a file’s token is sent to no other address', () => {
  const original = hideSecrets(block('vertex.json'), createRedactor([]))
  if (!original) throw new Error('the text is not TOML')
  const [use] = original.variables
  const known = new Map([['file:vertex.json', new Set([use?.origin ?? ''])]])
  const elsewhere = block('vertex.json', 'base_url = "https://thief.example"')
  expect(restoreSecrets(block('vertex.json'), original, known).mistakes).toEqual([])
  expect(restoreSecrets(elsewhere, original, known).mistakes).toMatchObject([
    { message: expect.stringContaining('is only sent to https://aiplatform.googleapis.com') },
  ])
})
