// The forms of models, routes and providers: each setting of the catalogue's schemas is a field, or listed as one for the text editor only.
import { describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { knownView } from '../../../plugins/catalogue/console/known-providers.ts'
import { blockFields, TEXT_ONLY } from '../../../plugins/catalogue/setting-fields.ts'
import { MODEL_SCHEMAS, PROVIDER_SETTINGS } from '../../../src/catalogue/schema.ts'

type Form = ComponentType<Record<string, unknown>>
const PARTS = `${import.meta.dir}/../../../plugins/catalogue/web/parts`
// The client of the pages takes its address from the page.
Reflect.set(globalThis, 'location', { origin: 'http://127.0.0.1', pathname: '/console' })
const { ModelFields }: { ModelFields: Form } = await import(`${PARTS}/model-fields.tsx`)
const { ProviderFields }: { ProviderFields: Form } = await import(`${PARTS}/provider-fields.tsx`)
Reflect.deleteProperty(globalThis, 'location')

const queries = new QueryClient()
queries.setQueryData(['catalogue', 'settings'], { sections: [], blocks: blockFields() })
queries.setQueryData(['catalogue', 'known'], knownView())

/** The names of a form's fields, found by the mistake that each shows. */
function namesIn(form: Form, props: object, begin: string): string[] {
  const draft = {
    values: { providers: [{ name: 'p' }] },
    mistakeAt: (path: readonly (string | number)[]) => `<<${path.join('.')}>>`,
  }
  const html = renderToStaticMarkup(
    createElement(QueryClientProvider, { client: queries }, createElement(form, { ...props, draft })),
  )
  const paths = [...html.matchAll(/&lt;&lt;(.*?)&gt;&gt;/g)].map(([, path = '']) => path)
  const names = paths.filter((path) => path.startsWith(begin)).map((path) => path.slice(begin.length))
  return [...new Set(names.map((name) => name.split('.')[0] ?? ''))]
}

const settingsOf = (schema: TSchema, textOnly: object): string[] =>
  Object.keys(schema.properties).filter((name) => !Object.hasOwn(textOnly, name))

/** Settings of a route that the catalogue refuses for models of other kinds. */
const ROUTE_SETTINGS_OF_SOME: Readonly<Record<string, readonly string[]>> = {
  endpoint: ['text'],
  generation: ['text', 'image'],
}

describe.each(Object.entries(MODEL_SCHEMAS))('a model for %s', (kind, schema) => {
  const model = { id: 'm', kind, routes: [{ provider: 'p', model: 'm', generation: 'm' }], price: {} }
  const props = { path: ['models', 0], model }

  test('has a field for each setting', () => {
    // Its routes are blocks of their own.
    const names = namesIn(ModelFields, props, 'models.0.')
    expect(names.toSorted()).toEqual(settingsOf(schema, TEXT_ONLY.model).toSorted())
  })

  test('has a field for each setting of a route', () => {
    const names = namesIn(ModelFields, props, 'models.0.routes.0.')
    const all = settingsOf(schema.properties.routes.items, TEXT_ONLY.route)
    const settings = all.filter(
      (name) => !ROUTE_SETTINGS_OF_SOME[name] || ROUTE_SETTINGS_OF_SOME[name].includes(kind),
    )
    expect(names.toSorted()).toEqual(settings.toSorted())
  })
})

test('a provider has a field for each setting', () => {
  const own = { name: 'p', resource: 'r', region: 'r', api_version: '2024-10-21' }
  const names = namesIn(ProviderFields, { path: ['providers', 0], provider: own }, 'providers.0.')
  const settings = settingsOf(PROVIDER_SETTINGS, TEXT_ONLY.provider)
  expect(names.toSorted()).toEqual([...settings, 'protocol', 'server'].toSorted())
})

test('each setting listed for the text editor exists in the schema', () => {
  for (const [name, schemas] of [
    ['provider', [PROVIDER_SETTINGS]],
    ['model', Object.values(MODEL_SCHEMAS)],
    ['route', [MODEL_SCHEMAS.text.properties.routes.items]],
  ] as const)
    for (const setting of Object.keys(TEXT_ONLY[name]))
      expect(schemas.some(({ properties }) => Object.hasOwn(properties, setting))).toBe(true)
})

test('each further field has a description', () => {
  const { provider, route, models, prices } = blockFields()
  const fields = [...provider, ...route, ...[models, prices].flatMap((kinds) => Object.values(kinds).flat())]
  const undescribed = fields.filter(({ description }) => description === '').map(({ path }) => path.join('.'))
  // Fields made by hand have words of their own.
  const byHand = ['base_url', 'display_name', 'provider', 'call_timeout_ms', 'retired']
  expect(undescribed.filter((name) => !byHand.includes(name))).toEqual([])
})
