// Conversion of the application's routes by @elysiajs/openapi: one route per turn of the event loop, so that calls are not delayed.

import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import { Kind } from '@sinclair/typebox'
import type { AnyElysia } from 'elysia'
import type { Parameter } from '../../src/app/reference/operation.ts'
import type { Schema } from '../../src/app/reference/schema.ts'
import { capital } from '../../src/utilities/capital.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

type Contents = Readonly<Record<string, { readonly schema: Schema }>>

/** An operation that the converter makes from a route's schemas and `detail`. */
export interface Converted {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Contents }
  readonly responses?: Readonly<Record<string, { readonly description: string; readonly content?: Contents }>>
}

interface Route {
  readonly method: string
  readonly path: string
  readonly hooks: Readonly<Record<string, unknown>>
}

/** The methods of an application that the converter calls. Elysia's types hide them. */
interface RouteSource {
  getGlobalRoutes(): readonly Route[]
  getGlobalDefinitions(): unknown
}

/** @param app any instance of the application: each returns the routes of the whole application */
const routeSourceOf = (app: AnyElysia): RouteSource => app as unknown as RouteSource

const nameOf = ({ method, path }: Route): string => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`

/** Returns the routes by name, such as `GET /v1/models/{id}`. */
export function routesOf(app: AnyElysia): Map<string, Route> {
  const routes = routeSourceOf(app).getGlobalRoutes()
  return new Map(routes.map((route) => [nameOf(route), route]))
}

/**
 * Converts a route into its operations: one per method, none if the route is hidden. Methods are in lower case, as in OpenAPI.
 */
export async function convert(app: AnyElysia, { method, path, hooks }: Route) {
  await endOfTurn()
  const one_route: RouteSource = {
    getGlobalRoutes: () => [{ method, path, hooks: publishedHooks(hooks) }],
    getGlobalDefinitions: () => routeSourceOf(app).getGlobalDefinitions(),
  }
  // By default the converter takes any path with a dot for a static file.
  const { paths } = toOpenAPISchema(one_route as unknown as AnyElysia, { staticFile: false })
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, one]) => ({ method, path, converted: one as Converted })),
  )
}

/** Converts the schemas of a route's hooks to plain JSON Schema, because the converter would drop enumerations. */
function publishedHooks({ body, query, params, response, detail = {}, ...others }: Route['hooks']) {
  const { requestBody } = detail as Converted
  const content = Object.entries(requestBody?.content ?? {}).map(([type, { schema, ...more }]) => [
    type,
    { ...more, schema: published(schema) },
  ])
  return {
    ...others,
    detail: {
      ...(detail as object),
      requestBody: requestBody && { ...requestBody, content: Object.fromEntries(content) },
    },
    body: requestBody ? undefined : publishedSchema(body),
    query: publishedSchema(query),
    params: publishedSchema(params),
    response: isTypeBox(response) ? publishedSchema(response) : publishedResponses(response),
  }
}

export const isTypeBox = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && Kind in value

/** Publishes a TypeBox schema. The converter recognizes it by its kind, and converts schemas of other libraries itself. */
const publishedSchema = (schema: unknown): unknown =>
  isTypeBox(schema) ? { ...published(schema), [Kind]: 'Published' } : schema

const publishedResponses = (responses: unknown): unknown =>
  responses &&
  Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, publishedSchema(one)]))

/** Keywords of TypeBox schemas that only our validator reads. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['must', 'code'])
/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])

/** Converts a TypeBox schema to plain JSON Schema. Removes our annotations, but uses the text of `must` as a description. */
export function published(schema: Schema): Schema {
  const kept = Object.entries(schema)
    .filter(([keyword, value]) => !(ANNOTATIONS.has(keyword) && typeof value === 'string'))
    .map(([keyword, value]) => [keyword, MAPS.has(keyword) ? eachPublished(value) : publishedPart(value)])
  return toPlainSchema({ description: descriptionFrom(schema), ...Object.fromEntries(kept) })
}

const eachPublished = (map: unknown): unknown =>
  Object.fromEntries(
    Object.entries(map as Readonly<Record<string, Schema>>).map(([name, schema]) => [
      name,
      published(schema),
    ]),
  )

function publishedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publishedPart)
  return typeof value === 'object' && value !== null ? published(value as Schema) : value
}

/** Uses a text such as "a whole number from 1 to 1000", written for error messages, as the description of the field. */
const descriptionFrom = ({ must }: Schema): string | undefined =>
  typeof must === 'string' ? `${capital(must)}.` : undefined

/** Replaces TypeBox's forms of patterns, integers, enumerations and nullable types by plain JSON Schema. */
function toPlainSchema(schema: Schema): Schema {
  const { type, source, flags, maximum, anyOf, ...rest } = schema
  if (type === 'RegExp') return { ...rest, type: 'string', pattern: source }
  if (!Array.isArray(anyOf))
    return { type, ...rest, maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum }
  const [first, second] = anyOf
  if (anyOf.every((one) => typeof one.const === 'string'))
    return { ...rest, type: 'string', enum: anyOf.map((one) => one.const) }
  if (anyOf.length === 2 && second.type === 'null' && typeof first.type === 'string') {
    const { const: only, enum: words = only === undefined ? undefined : [only], ...of_first } = first
    const description = rest.description ?? of_first.description
    return {
      ...of_first,
      ...rest,
      description,
      type: [of_first.type, 'null'],
      enum: words && [...words, null],
    }
  }
  return { ...rest, anyOf }
}
