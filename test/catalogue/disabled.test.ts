// Providers disabled by a missing environment variable; the rest of the catalogue works.
import { describe, expect, test } from 'bun:test'
import type { Environment } from '../../src/catalogue/providers.ts'
import { CATALOGUE, read, readGood } from './catalogues.ts'

const provider = (name: string, lines: string) =>
  `[[providers]]\nname = "${name}"\nprotocol = "openai"\nbase_url = "https://${name}.example/v1"\n${lines}\n`
const model = (id: string, ...providers: string[]) =>
  `[[models]]\nid = "${id}"\nkind = "text"\nprice = { input = 1, output = 1 }\nroutes = [${providers
    .map((name) => `{ provider = "${name}", model = "x" }`)
    .join(', ')}]\n`

function readWith(text: string, env: Environment = {}) {
  const { catalogue, warnings } = readGood(text, env)
  return { ...catalogue, warnings: warnings.map(({ line, path, message }) => `${line} ${path}: ${message}`) }
}

const UNSET_KEY = provider('one', 'api_keys = ["env:NOT_SET"]') + model('first', 'one')

describe('a key whose environment variable is not set', () => {
  test.each([
    ['is not set', {}],
    ['is empty', { NOT_SET: '' }],
    ['is white space', { NOT_SET: ' \n' }],
  ])('disables its provider, and nothing else, if the variable %s', (_, env) => {
    const { providers, models, warnings } = readWith(UNSET_KEY + CATALOGUE, env)
    expect([...providers.keys()]).toEqual(['acme'])
    expect(models.get('model')?.unavailable).toBeUndefined()
    expect(models.get('first')?.unavailable).toBe(
      'its provider is disabled ("one"): the environment variable is not set: NOT_SET',
    )
    expect(warnings).toEqual([
      '5 providers[0].api_keys[0]: needs the environment variable NOT_SET, which is not set: the provider "one" is disabled. Set it, and start again',
    ])
  })

  test('is left out if its provider has others, which keep their numbers in the log', () => {
    const { providers, models, warnings } = readWith(
      provider('one', 'api_keys = ["env:A", "env:B", "c"]') + model('first', 'one'),
      { B: 'b' },
    )
    expect(providers.get('one')).toMatchObject({ api_keys: ['b', 'c'], key_numbers: [2, 3] })
    expect(models.get('first')?.unavailable).toBeUndefined()
    expect(warnings).toEqual([
      '5 providers[0].api_keys[0]: needs the environment variable A, which is not set: this key is left out. Set it, and start again',
    ])
  })

  test('brings no warning once it is set', () => {
    const { providers, warnings } = readWith(UNSET_KEY, { NOT_SET: 'k' })
    expect(warnings).toEqual([])
    expect(providers.get('one')).not.toHaveProperty('key_numbers')
  })
})

test('a header whose environment variable is not set disables its provider, whatever keys it has', () => {
  const lines = 'api_keys = ["k"]\nheaders = { x-team = "env:TEAM" }'
  const { providers, warnings } = readWith(provider('one', lines) + model('first', 'one') + CATALOGUE)
  expect([...providers.keys()]).toEqual(['acme'])
  expect(warnings[0]).toStartWith('6 providers[0].headers.x-team: needs the environment variable TEAM')
})

test('a model keeps the routes to its other providers', () => {
  const text = provider('one', 'api_keys = ["env:A"]') + provider('two', 'api_keys = ["k"]')
  const { models } = readWith(text + model('both', 'one', 'two'))
  expect(models.get('both')).toMatchObject({ routes: [{ provider: 'two' }] })
  expect(models.get('both')?.unavailable).toBeUndefined()
})

test('a model whose providers are all disabled keeps its routes, and names every variable once', () => {
  const text = provider('one', 'api_keys = ["env:A"]') + provider('two', 'api_keys = ["env:B", "env:A"]')
  const { models, providers } = readWith(text + model('both', 'one', 'two', 'one'))
  expect(providers.size).toBe(0)
  expect(models.get('both')?.routes).toHaveLength(3)
  expect(models.get('both')?.unavailable).toBe(
    'all of its providers are disabled ("one" and "two"): environment variables are not set: A, B',
  )
})

test('mistakes in a disabled provider, and in its models, are still mistakes', () => {
  const text = `${provider('one', 'api_keys = ["env:A"]\nregion = "eu"')}${model('first', 'one', 'nobody')}`
  const reading = read(text)
  expect(reading.ok ? [] : reading.mistakes.map(({ path }) => path)).toEqual([
    'providers[0].region',
    'models[0].routes[1].provider',
  ])
})
