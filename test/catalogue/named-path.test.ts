// Paths of the catalogue for people: blocks of a list by their ids or names.
import { expect, test } from 'bun:test'
import { namedPath } from '../../src/catalogue/named-path.ts'

const VALUES = {
  models: [{ id: 'sim-flash' }, { id: 'gpt-5-mini', routes: [{ provider: 'openai' }] }, {}],
  plans: { offered: [{ name: 'pro', title: 'Pro' }] },
}

test.each([
  ['models[1].price.input', 'models["gpt-5-mini"].price.input'],
  ['models[1].routes[0].provider', 'models["gpt-5-mini"].routes[0].provider'],
  ['plans.offered[0].price_usd', 'plans.offered["pro"].price_usd'],
  ['models[2].id', 'models[2].id'],
  ['models[7].id', 'models[7].id'],
  ['server.listen', 'server.listen'],
])('%s is %s', (path, named) => expect(namedPath(path, VALUES)).toBe(named))

test('a path stays as it is without values', () =>
  expect(namedPath('models[1].id', null)).toBe('models[1].id'))
