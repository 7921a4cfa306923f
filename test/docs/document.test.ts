// The API's document: it is valid, it has every route that is not hidden, and its examples fit its schemas.
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Schema, Validator } from '@cfworker/json-schema'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { documentOf } from '../../plugins/docs/document.ts'
import { faultsOf, type OpenApi, type Operation, startDocumented } from './support.ts'

const documented = await startDocumented()
afterAll(() => documented.gateway.stop())

/** The names of a route in the document: `:id` becomes `{id}`, and a route of all methods becomes one of each. */
const convertedNames = (route: string): string[] => {
  const [method = '', path = ''] = route.replace(/:([a-z_]+)/gi, '{$1}').split(' ')
  return (method === 'ALL' ? ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] : [method]).map(
    (one) => `${one} ${path}`,
  )
}

describe('every route', () => {
  test('is documented in a group, or hidden by its own detail', () => {
    const grouped = documented.operations
      .filter(({ operation }) => operation.tags?.length === 1)
      .map(({ name }) => name.replace(/\{\w+\}/g, '{}'))
    const unknown = documented.routes
      .filter(({ is_hidden }) => !is_hidden)
      .flatMap(({ route }) => convertedNames(route))
      .filter((name) => !documented.written.has(name))
      .filter((name) => !grouped.includes(name.replace(/\{\w+\}|\*/g, '{}')))
    expect(unknown).toEqual([])
  })

  test('that a plugin describes exists', () => {
    const existing = new Set(documented.routes.flatMap(({ route }) => convertedNames(route)))
    expect([...documented.written].filter((name) => !existing.has(name))).toEqual([])
  })

  test('of the console is left out, and so is this reference', () => {
    const paths = Object.keys(documented.document.paths)
    expect(paths.filter((path) => /^\/(console|docs)(\/|$)/.test(path))).toEqual([])
    expect(documented.routes.some(({ route }) => route.startsWith('GET /docs'))).toBe(true)
  })

  test('with a wildcard has addresses without one', () => {
    const { paths } = documented.document
    expect(Object.keys(paths).filter((path) => path.includes('*'))).toEqual([])
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/v1beta/models/{model}:generateContent',
        '/v1beta/models/{model}:streamGenerateContent',
        '/api/v1/files/{key}',
      ]),
    )
  })
})

describe('the document', () => {
  const faultsOfDocument = (document: unknown): string[] => {
    const schema = readFileSync(join(import.meta.dir, '../fixtures/openapi/schema-3.1.json'), 'utf8')
    const { errors } = new Validator(JSON.parse(schema) as Schema, '2020-12', false).validate(document)
    return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
  }

  test('is valid by the schema of OpenAPI 3.1', () => {
    expect(faultsOfDocument(documented.document)).toEqual([])
  })

  test.each<[what: string, spoil: (operation: Operation) => unknown]>([
    [
      'a parameter in an unknown place',
      ({ parameters }) => parameters.push({ name: 'x', in: 'body' as 'path', schema: {} }),
    ],
    ['an answer without a description', ({ responses }) => Object.assign(responses, { 201: {} })],
    ['a field that OpenAPI does not have', (operation) => Object.assign(operation, { examples: {} })],
  ])('would be invalid with %s', (_, spoil) => {
    const document = structuredClone(documented.document)
    const operation = document.paths['/v1/models']?.get
    if (!operation) throw new Error('the list of models is not documented')
    spoil(operation)
    expect(faultsOfDocument(document)).not.toEqual([])
  })

  test('describes each operation once', () => {
    const ids = documented.operations.map(({ operation }) => operation.operationId)
    expect(ids.length).toBeGreaterThan(35)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = documented.document.tags.map(({ name }) => name)
    for (const { name, operation } of documented.operations) {
      expect([name, operation.tags.every((tag) => tags.includes(tag))]).toEqual([name, true])
      expect([name, operation.summary.length > 5, 200 in operation.responses]).toEqual([name, true, true])
    }
    expect(
      tags.filter((tag) => !documented.operations.some(({ operation }) => operation.tags.includes(tag))),
    ).toEqual([])
  })

  test('declares the parameters of each path, and no others', () => {
    for (const { name, path, operation } of documented.operations) {
      const declared = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name)
      expect([name, declared]).toEqual([name, [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one ?? '')])
    }
  })

  test('has each component that it refers to, and no others', () => {
    const { document } = documented
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(
        ([, kind, name]) => `${kind} ${name}`,
      ),
    )
    const shared = (['schemas', 'headers'] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `${kind} ${name}`),
    )
    expect([...referred].sort()).toEqual(shared.sort())
  })

  test('has plain JSON Schema: none of the annotations and types of our validator', () => {
    const wrong = schemasIn(documented.document).filter(
      ({ must, code, type }) => typeof must === 'string' || typeof code === 'string' || !isType(type),
    )
    expect(wrong).toEqual([])
  })

  test('describes every parameter and every field of a request', () => {
    const bare = documented.operations.flatMap(({ name, operation }) => {
      const parameters = operation.parameters.filter((one) => !('description' in one)).map((one) => one.name)
      const fields = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        Object.entries(resolved(documented.document, schema).properties ?? {})
          .filter(
            ([, field]) =>
              typeof field === 'object' &&
              !('description' in { ...resolved(documented.document, field), ...field }),
          )
          .map(([field]) => field),
      )
      return [...parameters, ...fields].map((one) => `${name}: ${one}`)
    })
    expect(bare).toEqual([])
  })

  test('describes every field of an answer', () => {
    const { document } = documented
    const answers = documented.operations.map(({ name, operation }) => ({
      name,
      found: schemasIn(Object.values(operation.responses).map(({ content }) => content)),
    }))
    const shared = { name: 'shared', found: schemasIn({ schemas: document.components.schemas }) }
    expect(shared.found.length).toBeGreaterThan(100)
    const bare = [shared, ...answers].flatMap(({ name, found }) =>
      found
        .flatMap(({ properties = {} }) => Object.entries(properties))
        .filter(([, field]) => typeof field === 'object' && !field.description && !('const' in field))
        .map(([field]) => `${name}: ${field}`),
    )
    expect(bare).toEqual([])
  })

  test('every example of an answer fits its schema, errors included', () => {
    let checked = 0
    for (const { name, operation } of documented.operations)
      for (const [status, { content = {} }] of Object.entries(operation.responses))
        for (const { schema, examples = {} } of Object.values(content))
          for (const { value } of Object.values(examples)) {
            expect([name, status, faultsOf(documented.document, schema, value)]).toEqual([name, status, []])
            checked++
          }
    expect(checked).toBeGreaterThan(300)
  })

  test('every example of a request fits its schema', () => {
    for (const { name, operation } of documented.operations)
      for (const { schema, examples = {} } of Object.values(operation.requestBody?.content ?? {})) {
        expect([name, Object.keys(examples).length > 0]).toEqual([name, true])
        for (const [example, { value }] of Object.entries(examples)) {
          // The fields of a form are texts.
          const entries = value as Record<string, unknown>
          const plain = entries.stream === 'true' ? { ...entries, stream: true } : entries
          expect([name, example, faultsOf(documented.document, schema, plain)]).toEqual([name, example, []])
        }
      }
  })
})

test('a route of a plugin without a description is documented by its schemas', async () => {
  const app = new Elysia().get('/about/:id/*', () => ({ account: 'anna' }), {
    query: Type.Object({ limit: Type.Optional(Type.Integer({ must: 'a whole number' })) }),
    response: { 200: Type.Object({ account: Type.String() }), 204: Type.Void() },
  })
  const { paths } = (await documentOf(app)) as unknown as OpenApi
  expect(paths['/about/{id}/{rest}']?.get).toMatchObject({
    summary: 'GET /about/{id}/*',
    parameters: expect.arrayContaining([
      { name: 'limit', in: 'query', description: 'A whole number.', schema: { type: 'integer' } },
    ]),
    responses: {
      200: { content: { 'application/json': { schema: { properties: { account: { type: 'string' } } } } } },
      204: { description: 'An answer.' },
    },
  })
})

function resolved({ components }: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']
const isType = (type: unknown): boolean =>
  type === undefined || (Array.isArray(type) ? type : [type]).every((one) => TYPES.includes(one))

/** Every schema in the document. */
function schemasIn(value: unknown, is_schema = false): Schema[] {
  if (Array.isArray(value)) return value.flatMap((one) => schemasIn(one, is_schema))
  if (typeof value !== 'object' || value === null) return []
  const own = is_schema ? [value as Schema] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, inner]) => {
      if (key === 'example' || key === 'examples' || key === 'enum') return []
      if (['schema', 'items', 'contentSchema', 'additionalProperties'].includes(key))
        return schemasIn(inner, true)
      if (['anyOf', 'oneOf', 'allOf'].includes(key)) return schemasIn(inner, true)
      if (['properties', 'schemas'].includes(key))
        return Object.values(inner as object).flatMap((one) => schemasIn(one, true))
      return schemasIn(inner)
    }),
  ]
}
