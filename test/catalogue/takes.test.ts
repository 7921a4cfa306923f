// Inputs of models: by the generation in the names of their routes; `takes` in the catalogue wins.
import { expect, test } from 'bun:test'
import { inputsOf } from '../../src/catalogue/takes.ts'
import { catalogueOf, mistakesOf, PROVIDER } from './catalogues.ts'

const modelOf = (routes: string, more = '', kind = 'text', price = 'input = 1, output = 2') =>
  `${PROVIDER}
[[models]]
id = "m"
kind = "${kind}"
routes = [${routes}]
price = { ${price} }
${more}
`
const route = (model: string, more = '') => `{ provider = "acme", model = "${model}"${more} }`

test.each([
  ['claude-sonnet-5-5', 'text images files tools'],
  ['eu.anthropic.claude-3-haiku-20240307-v1:0', 'text images files tools'],
  ['gemini-2.5-flash-lite', 'text images audio files tools'],
  ['openai/gpt-5.4-mini', 'text images files tools'],
  ['o4-mini', 'text images files tools'],
  ['o3-mini', 'text tools'],
  ['gpt-4o-audio-preview', 'text audio tools'],
  ['gpt-3.5-turbo', 'text'],
  ['claude-2.1', undefined],
  ['claude-instant-1', undefined],
  ['gpt-40', undefined],
  ['qwen3:8b', undefined],
])('%s takes %p', (name, takes) => {
  const model = catalogueOf(modelOf(route(name))).models.get('m')
  expect(model && inputsOf(model)?.join(' ')).toBe(takes)
})

test.each([
  [
    'the generation of a deployment',
    route('mine', ', generation = "gpt-5.4"'),
    '',
    'text images files tools',
  ],
  ['what all routes take', `${route('gemini-2.5-pro')}, ${route('gpt-5.4')}`, '', 'text images files tools'],
  ['unknown if one route is', `${route('gemini-2.5-pro')}, ${route('mine')}`, '', undefined],
  ['takes in the catalogue', route('gemini-2.5-pro'), 'takes = ["tools", "images"]', 'text images tools'],
  ['takes without anything, so text alone', route('gemini-2.5-pro'), 'takes = []', 'text'],
])('%s', (_, routes, more, takes) => {
  const model = catalogueOf(modelOf(routes, more)).models.get('m')
  expect(model && inputsOf(model)?.join(' ')).toBe(takes)
})

test.each([
  ['image', 'per_image = 1', 'text images'],
  ['embedding', 'input = 1', 'text'],
])('a model of the kind %s has fixed inputs', (kind, price, takes) => {
  const model = catalogueOf(modelOf(route('m'), '', kind, price)).models.get('m')
  expect(model && inputsOf(model)?.join(' ')).toBe(takes)
})

test.each(['["video"]', '["images", "images"]', '"images"', '["text"]'])('takes = %s is refused', (takes) => {
  expect(mistakesOf(modelOf(route('m'), `takes = ${takes}`)).join()).toContain('models[0].takes')
})
