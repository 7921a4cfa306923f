// The routes of the application as @elysiajs/openapi converts them: one at a time, so that calls have their turn in between.
import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import { Kind } from '@sinclair/typebox'
import type { AnyElysia } from 'elysia'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import type { Parameter } from '../../src/app/reference/operation.ts'
import { published, type Schema } from '../../src/app/reference/schema.ts'

type Contents = Readonly<Record<string, { readonly schema: Schema }>>

/** An operation by its route's schemas and what its `detail` says. */
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

/** What the converter asks of an application. Elysia's types hide it from everybody else. */
interface Routed {
  getGlobalRoutes(): readonly Route[]
  getGlobalDefinitions(): unknown
}

/** @param app any instance of the application: each knows the routes of the whole */
const routedBy = (app: AnyElysia): Routed => app as unknown as Routed

/** The name of a route: its method, and its path with parameters as OpenAPI writes them. */
const nameOf = ({ method, path }: Route): string => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`

/** The routes by their names. */
export function routesOf(app: AnyElysia): Map<string, Route> {
  const routes = routedBy(app).getGlobalRoutes()
  return new Map(routes.map((route) => [nameOf(route), route]))
}

/**
 * One route: an operation for each of its methods, of which most have one, and none where it is hidden. Methods are in lower
 * case, as OpenAPI writes them.
 */
export async function convert(app: AnyElysia, { method, path, hooks }: Route) {
  await endOfTurn()
  const alone: Routed = {
    getGlobalRoutes: () => [{ method, path, hooks: publishedHooks(hooks) }],
    getGlobalDefinitions: () => routedBy(app).getGlobalDefinitions(),
  }
  // Without an exclusion of ours, the converter takes any path with a dot for a file.
  const { paths } = toOpenAPISchema(alone as unknown as AnyElysia, { staticFile: false })
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, one]) => ({ method, path, converted: one as Converted })),
  )
}

/** With its schemas in plain JSON Schema: the converter would drop what they say of enumerations. */
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
    response: isSchema(response) ? publishedSchema(response) : eachPublished(response),
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && Kind in value

/** The converter knows a schema by its kind. Those of other libraries it converts itself. */
const publishedSchema = (schema: unknown): unknown =>
  isSchema(schema) ? { ...published(schema), [Kind]: 'Published' } : schema

const eachPublished = (responses: unknown): unknown =>
  responses &&
  Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, publishedSchema(one)]))
