// What a session of the console may do with keys in files: keep those that are named, for the address that they are named for.
import { expect, test } from 'bun:test'
import { beyondConsole } from '../../src/config/console-bounds.ts'
import { hideSecrets, restoreSecrets } from '../../src/config/hidden-text.ts'
import { variablesIn } from '../../src/config/secret-places.ts'
import { placesOf } from '../../src/config/toml.ts'
import { createRedactor } from '../../src/observe/redact.ts'

const block = (file: string, more = '') =>
  `[[providers]]\nname = "v"\nserver = "vertex"\n${more}\napi_keys = ["file:${file}"]\n`

test('the name of a file is shown', () => {
  const hidden = hideSecrets(block('vertex.json'), createRedactor([]))
  expect(hidden?.text).toBe(block('vertex.json'))
  expect(hidden?.secrets).toEqual([])
})

test.each([
  ['the same file', 'vertex.json', []],
  [
    'another file',
    '/etc/shadow',
    [
      {
        path: 'providers[0].api_keys[0]',
        line: 5,
        message: expect.stringMatching(/^must be a file that the catalogue names already/),
      },
    ],
  ],
])('a draft with %s', (_, file, mistakes) => {
  const named = variablesIn(placesOf(block(file)))
  const known = new Set(['file:vertex.json'])
  expect(beyondConsole({ before: {}, after: {}, named, known })).toEqual(mistakes)
})

test('a file’s token is sent to no other address', () => {
  const original = hideSecrets(block('vertex.json'), createRedactor([]))
  if (!original) throw new Error('it is no TOML')
  const [use] = original.variables
  const known = new Map([['file:vertex.json', new Set([use?.origin ?? ''])]])
  const elsewhere = block('vertex.json', 'base_url = "https://thief.example"')
  expect(restoreSecrets(block('vertex.json'), original, known).mistakes).toEqual([])
  expect(restoreSecrets(elsewhere, original, known).mistakes).toMatchObject([
    { message: expect.stringContaining('is only sent to https://aiplatform.googleapis.com') },
  ])
})
