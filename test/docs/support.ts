// The document of a gateway with the catalogue of a first start, and the check of a value by its schemas.
import { type Schema as JsonSchema, Validator } from '@cfworker/json-schema'
import { plugins } from '../../plugins/index.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { gatewaySpy, routesOf } from '../support/plugins.ts'
import { documentedCatalogue } from './catalogue.ts'

export interface MediaType {
  schema: JsonSchema
  examples?: Record<string, { summary: string; value: unknown }>
}

interface Answer {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, MediaType>
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: JsonSchema
  example?: unknown
}

export interface Operation {
  tags: string[]
  operationId: string
  summary: string
  security: Record<string, never[]>[]
  parameters: Parameter[]
  requestBody?: { content: Record<string, MediaType> }
  responses: Record<string, Answer>
}

export interface OpenApi {
  openapi: string
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema>; headers: Record<string, unknown> }
}

/** One operation with its address. */
export interface Addressed {
  name: string
  method: string
  path: string
  operation: Operation
}

export interface DocumentedGateway {
  gateway: TestGateway
  document: OpenApi
  operations: Addressed[]
  /** All routes, as `GET /path/:with`. */
  routes: { route: string; is_hidden: boolean }[]
  /** The routes that plugins describe, as `GET /path/{with}`. */
  written: ReadonlySet<string>
}

/** A gateway with `documentedCatalogue`. */
export async function startDocumented(): Promise<DocumentedGateway> {
  const spy = gatewaySpy()
  const gateway = await startTestGateway({
    catalogue: documentedCatalogue(),
    plugins: [...plugins, spy.plugin],
  })
  const document = (await (await gateway.call('/docs/openapi.json')).json()) as OpenApi
  const routes = (await routesOf(spy.gateway(), plugins)).map(({ method, path, hooks }) => ({
    route: `${method} ${path}`,
    is_hidden: hooks.detail?.hide === true,
  }))
  const references = await Promise.all(spy.gateway().operations.references.map((load) => load()))
  const written = new Set(references.flatMap(({ operations }) => operations.map(({ route }) => route)))
  return { gateway, document, operations: operationsOf(document), routes, written }
}

const operationsOf = ({ paths }: OpenApi): Addressed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )

/** The schema without undescribed fields, except where a provider's reference describes the rest of a body. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  if ('description' in schema && /the provider's reference/.test(String(schema.description))) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, closed(value)]))
  return 'properties' in schema ? { additionalProperties: false, ...inner } : inner
}

/** The faults of a value by a schema of the document, undescribed fields included; empty if it fits. */
export function faultsOf({ components }: OpenApi, schema: JsonSchema, value: unknown): string[] {
  // The validator looks for shared schemas where JSON Schema has them.
  const whole = JSON.stringify(closed({ ...schema, $defs: components.schemas }))
  const validator = new Validator(
    JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema,
    '2020-12',
    false,
  )
  const { valid, errors } = validator.validate(value)
  return valid ? [] : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
}
