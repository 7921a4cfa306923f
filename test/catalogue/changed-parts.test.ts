// Differences between two texts of the catalogue, by name.
import { expect, test } from 'bun:test'
import { changedParts } from '../../src/catalogue/changed-parts.ts'
import { CATALOGUE, MODEL } from './catalogues.ts'

const SERVER = '[server]\nlog_level = "info"\n'

test.each<[string, before: string, after: string, string[]]>([
  ['a price', CATALOGUE, CATALOGUE.replace('input = 1', 'input = 2'), ['changed model model: price']],
  ['a key', CATALOGUE, CATALOGUE.replace('key-1', 'hidden:abcd1234'), ['changed provider acme: api_keys']],
  ['an added model', CATALOGUE, CATALOGUE + MODEL.replace('"model"', '"second"'), ['added model second: ']],
  ['a model less', CATALOGUE + MODEL.replace('"model"', '"second"'), CATALOGUE, ['removed model second: ']],
  ['another order', CATALOGUE + SERVER, SERVER + CATALOGUE, []],
  ['a comment', CATALOGUE, `# A comment.\n${CATALOGUE}`, []],
  ['a setting', SERVER, SERVER.replace('info', 'debug'), ['changed setting server.log_level: ']],
  ['an added section', '', SERVER, ['changed setting server.log_level: ']],
  ['a text that is not TOML', CATALOGUE, 'x = ', []],
])('%s', (_, before, after, wanted) => {
  const parts = changedParts(before, after)
  expect(parts.map(({ kind, name, change, fields }) => `${change} ${kind} ${name}: ${fields}`)).toEqual(
    wanted,
  )
})
